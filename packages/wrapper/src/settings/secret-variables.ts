import {
  flagOnly,
  parseEnvMap,
  parseGoBoolean,
  parseKvPath,
  parseList,
  variable,
} from "@svc/settings";
import { parseSecretItem } from "./secret-item.ts";

const group = "Secret configuration";

/** Which secrets are fetched and under which names they are delivered. */
export const secretVariables = {
  secretPaths: variable({
    name: "SVC_SECRET_PATHS",
    aliases: ["SECRET_PATHS"],
    group,
    type: "path list",
    requiredness: { conditional: "Yes, unless `--secrets` is given" },
    parse: parseList(parseKvPath),
    meaning:
      "Comma-separated KV version 2 paths of the form `mount/data/path`; `#3` behind a path pins its version 3. `dynamic:` before a path reads it as it is, for engines that make a new secret with a lease at each read: `dynamic:database/creds/app`. SECRET_PATHS is the old name.",
  }),
  envMap: variable({
    name: "SVC_ENV_MAP",
    group,
    type: "environment map",
    requiredness: { conditional: "Yes, unless `--secrets` is given" },
    parse: parseEnvMap,
    meaning:
      "Which field of which path becomes which variable: `field1=VAR1,field2=VAR2;field3=VAR3`. Semicolons part the groups, one for each path in order; commas part the mappings of a group.",
  }),
  secretItems: flagOnly({
    name: "--secrets",
    group,
    type: "secret list",
    requiredness: { conditional: "Instead of SVC_ENV_MAP" },
    parse: parseList(parseSecretItem),
    meaning:
      "Short form of paths and map for direct use: comma-separated keys, or items `VAR=mount/data/path#field`. Not together with SVC_ENV_MAP.",
  }),
  allowReferences: variable({
    name: "SVC_ALLOW_REFERENCES",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Accepts values that still look like an unresolved reference (`vault:…`, `<no value>`). Without it the wrapper does not start the program.",
  }),
};
