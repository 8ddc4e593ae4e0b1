import {
  accepted,
  decodePercent,
  flagOnly,
  hasPlainSegments,
  type KvPath,
  type Parsed,
  parseFileMap,
  parseGoBoolean,
  parseKvPath,
  parseList,
  parseSparseEnvMap,
  parseVariableName,
  refused,
  variable,
} from "@svc/settings";
import { engineOf } from "./engine-traits.ts";

/** One item of `--secrets`. */
export type SecretItem =
  | { readonly kind: "key"; readonly key: string }
  | {
      readonly kind: "placed";
      readonly variable: string;
      readonly path: KvPath;
      /** Absent if the secret has one field that matters. */
      readonly field?: string;
    };

const wanted = "KEY or VAR=mount/data/path#field";

/**
 * Parses `KEY`, `VAR=mount/data/path`, `VAR=mount/data/path#field` or, with a version,
 * `VAR=mount/data/path#field#3`.
 *
 * A lone number after # is refused. In SVC_SECRET_PATHS it pins a version, and here it would be a
 * field. A user who confuses the two would get another secret.
 */
export function parseSecretItem(text: string): Parsed<SecretItem> {
  const equals = text.indexOf("=");
  if (equals === -1) return parseKey(text);
  const variable = text.slice(0, equals).trim();
  const name = parseVariableName(variable);
  if (!name.ok) return refused(`${wanted} with ${name.wanted}`);
  const [path = "", field, ...rest] = text
    .slice(equals + 1)
    .trim()
    .split("#");
  const parsed = parseKvPath([path, ...rest].join("#"));
  if (!parsed.ok) return { ...parsed, wanted: `${wanted}: ${parsed.wanted}` };
  if (rest.length === 0 && /^\d+$/.test(field ?? "")) {
    return refused(`${wanted} with the name of a field behind #`, {
      hint: engineOf(parsed.value).isInVault
        ? `version ${field} of a secret is #field#${field}`
        : `a file has no versions; SVC_ENV_MAP can map its field: ${field}=${variable}`,
    });
  }
  if (field === "") return refused(`${wanted} with the name of a field behind #`);
  const placed = { kind: "placed", variable, path: parsed.value } as const;
  if (field === undefined) return accepted(placed);
  const decoded = decodePercent(field);
  return decoded.ok ? accepted({ ...placed, field: decoded.value }) : decoded;
}

/** A key is a variable, and without paths the end of a path too. */
function parseKey(key: string): Parsed<SecretItem> {
  const isSegment = hasPlainSegments(key) && !key.includes("/");
  if (isSegment && parseVariableName(key).ok) return accepted({ kind: "key", key });
  return refused(`${wanted}, if KEY is a variable name without / ? # and *`, {
    hint: "to deliver a secret under another name, write VAR=mount/data/path#field",
  });
}

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
      "Comma-separated KV version 2 paths of the form `mount/data/path`; `#3` behind a path pins its version 3. `dynamic:` before a path reads it as it is, for engines that make a new secret with a lease at each read: `dynamic:database/creds/app`. `file:` before the absolute path of a file or a folder reads that instead of a vault: `file:/run/credentials/app/db`. In a path, `%2C %3B %23 %3F %2A %25` mean `, ; # ? * %`. SECRET_PATHS is the old name.",
  }),
  envMap: variable({
    name: "SVC_ENV_MAP",
    group,
    type: "environment map",
    requiredness: { conditional: "Yes, unless `--secrets` or SVC_FILE_MAP is given" },
    parse: parseSparseEnvMap,
    meaning:
      "Which field of which path becomes which variable: `field1=VAR1,field2=VAR2;field3=VAR3`. Semicolons part the groups, one for each path in order; commas part the mappings of a group. A file has one field with the file's name, or the members of its JSON object; a folder has its files. In the name of a field, `%2C %3B %23 %3F %2A %25` mean `, ; # ? * %`.",
  }),
  fileMap: variable({
    name: "SVC_FILE_MAP",
    group,
    type: "file map",
    parse: parseFileMap,
    meaning:
      "Which field of which path becomes which file: `tls.key=/etc/tls/tls.key,tls.crt=/etc/tls/tls.crt`, in groups as SVC_ENV_MAP. Options stand behind the path: `#mode=0440` (else 0400), `#base64` (the file has the bytes for which the base64 of the field stands), `#env=VARIABLE` (that variable has the path), `#owner=UID:GID`, `#any-path`. The files are in memory, in a mount that only the program and its descendants have; that takes CAP_SYS_ADMIN. If all have `#any-path` and `#env`, their variables may have paths of sealed descriptors instead. Folders of a mount must be empty or missing. At most 64 files, 1 MiB each and 4 MiB together. It stands beside SVC_ENV_MAP or `--secrets`, or alone: then a rotation is a SIGHUP, unless SVC_ROTATION says another.",
  }),
  secretItems: flagOnly({
    name: "--secrets",
    group,
    type: "secret list",
    requiredness: { conditional: "Instead of SVC_ENV_MAP" },
    parse: parseList(parseSecretItem),
    meaning:
      "Short form of paths and map for direct use: comma-separated keys, or items `VAR=mount/data/path#field` or `VAR=file:/path#field`. Not together with SVC_ENV_MAP.",
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
