import type { EnvMap, KvPath } from "@svc/settings";
import { readListedSecrets } from "./listed-secrets.ts";
import { complain, hasFailed, isGiven, labelOf, type Reading } from "./reading.ts";
import { reservedNames } from "./reserved-variables.ts";
import type { SecretMapping, SecretSettings, SecretSource } from "./wrapper-settings.ts";

/** The secrets to fetch: the paths with their groups of the map, or the items of `--secrets`. */
export function readSecrets(reading: Reading): SecretSettings | undefined {
  const secrets = isGiven(reading, "secretItems") ? readShortForm(reading) : readMapped(reading);
  if (secrets === undefined) return undefined;
  const { allowReferences } = reading.values;
  refuseReserved(reading, [
    ...secrets.sources.flatMap(({ mappings }) => mappings),
    ...secrets.searchedKeys.map((key): SecretMapping => ({ kind: "sole", variable: key })),
  ]);
  return { ...secrets, allowReferences };
}

type Sources = Omit<SecretSettings, "allowReferences">;

function readShortForm(reading: Reading): Sources | undefined {
  if (isGiven(reading, "envMap")) {
    return complain(reading, {
      variable: "--secrets",
      wanted: "given without SVC_ENV_MAP",
      found: "both are set",
      hint: "name the variable in the item itself: VAR=mount/data/path#field",
    });
  }
  const { secretItems, secretPaths } = reading.values;
  if (secretItems === undefined || hasFailed(reading, "secretPaths")) return undefined;
  return readListedSecrets(reading, secretItems, secretPaths);
}

function readMapped(reading: Reading): Sources | undefined {
  requireGiven(reading, "secretPaths", "SVC_SECRET_PATHS");
  requireGiven(reading, "envMap", "SVC_ENV_MAP");
  const { secretPaths: paths, envMap } = reading.values;
  if (paths === undefined || envMap === undefined) return undefined;
  if (paths.length !== envMap.length) return refuseCounts(reading, paths, envMap);
  const sources = paths.map((path, index): SecretSource => {
    return { ...path, mappings: envMap[index] ?? [] };
  });
  return { sources, searchedKeys: [] };
}

function requireGiven(reading: Reading, key: "secretPaths" | "envMap", variable: string): void {
  if (isGiven(reading, key)) return;
  const hint = "set SVC_SECRET_PATHS and SVC_ENV_MAP, or give --secrets";
  complain(reading, { variable, wanted: "set", found: "it is not set", hint });
}

function refuseCounts(reading: Reading, paths: readonly KvPath[], envMap: EnvMap): undefined {
  return complain(reading, {
    variable: "SVC_ENV_MAP",
    label: labelOf(reading, "envMap", "SVC_ENV_MAP"),
    wanted: "a map with one group for each path of SVC_SECRET_PATHS",
    found: `got ${counted(envMap.length, "group")} for ${counted(paths.length, "path")}`,
    hint: "semicolons part the groups, in the order of the paths",
  });
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function refuseReserved(reading: Reading, mappings: readonly SecretMapping[]): void {
  const variable = isGiven(reading, "secretItems") ? "--secrets" : "SVC_ENV_MAP";
  for (const name of reservedNames(mappings)) {
    complain(reading, {
      variable,
      wanted: "a map without variables of the wrapper and the dynamic loader",
      found: `it names ${name}`,
    });
  }
}
