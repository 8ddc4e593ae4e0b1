import { complain, type EnvMap, type FileMap, type KvPath } from "@svc/settings";
import { isGiven, labelOf, type Reading } from "./reading.ts";
import type { SecretSettings, SecretSource } from "./wrapper-settings.ts";
import { reservedNames } from "./wrapper-variable.ts";

/** The groups of SVC_FILE_MAP; undefined if it is not set, or its number of groups is wrong. */
export function groupsOfFiles(
  reading: Reading,
  paths: readonly KvPath[] | undefined,
): FileMap | undefined {
  const { fileMap } = reading.values;
  if (fileMap === undefined || paths?.length === fileMap.length) return fileMap;
  const label = labelOf(reading, "fileMap", "SVC_FILE_MAP");
  if (!isGiven(reading, "secretPaths")) {
    // Without --secrets that was said already.
    if (!isGiven(reading, "secretItems")) return undefined;
    return complain(reading, {
      ...{ variable: "SVC_FILE_MAP", label },
      wanted: "set together with SVC_SECRET_PATHS",
      found: "it is not set",
      hint: "the groups of the map are in the order of SVC_SECRET_PATHS",
    });
  }
  if (paths === undefined) return undefined;
  return complain(reading, {
    ...{ variable: "SVC_FILE_MAP", label },
    wanted: "a map with one group for each path of SVC_SECRET_PATHS",
    found: `got ${counted(fileMap.length, "group")} for ${counted(paths.length, "path")}`,
    hint: "semicolons part the groups, in the order of the paths; a group may be empty",
  });
}

/** A source for each path, with its groups of both maps. */
export function sourcesOf(
  paths: readonly KvPath[],
  { envMap, files }: { readonly envMap?: EnvMap | undefined; readonly files: FileMap | undefined },
): readonly SecretSource[] {
  return paths.map((path, index) => {
    const ofPath = files?.[index] ?? [];
    const mappings = envMap?.[index] ?? [];
    return { ...path, mappings, ...(ofPath.length > 0 && { files: ofPath }) };
  });
}

/** The variable of a file is neither the wrapper's nor that of a secret. */
export function refuseVariablesOfFiles(
  reading: Reading,
  { sources, searchedKeys }: Pick<SecretSettings, "sources" | "searchedKeys">,
): void {
  const named = sources
    .flatMap(({ files = [] }) => files)
    .flatMap(({ variable, path }) => (variable === undefined ? [] : [{ variable, place: path }]));
  const mappings = named.map(({ variable }) => ({ kind: "sole", variable }) as const);
  const label = labelOf(reading, "fileMap", "SVC_FILE_MAP");
  for (const name of reservedNames(mappings)) {
    complain(reading, {
      ...{ variable: "SVC_FILE_MAP", label },
      wanted: "a map without variables of the wrapper and the dynamic loader",
      found: `it names ${name}`,
    });
  }
  const known = new Set([...sources.flatMap(variablesOf), ...searchedKeys]);
  for (const { variable, place } of named.filter((one) => known.has(one.variable))) {
    complain(reading, {
      ...{ variable: "SVC_FILE_MAP", label },
      wanted: "a map whose variables are of files alone",
      found: `${variable}, for ${place}, is the variable of a secret, too`,
    });
  }
}

function variablesOf({ mappings }: SecretSource): readonly string[] {
  return mappings.flatMap((mapping) => (mapping.kind === "every" ? [] : [mapping.variable]));
}

/** Whether all secrets are files, and none is a variable; warns of settings that then do nothing. */
export function areOnlyFiles(reading: Reading): boolean {
  const { given, warnings } = reading;
  if (!given.has("fileMap") || given.has("envMap") || given.has("secretItems")) return false;
  for (const key of ["delivery", "follow"] as const) {
    const label = given.get(key)?.label;
    if (label !== undefined) warnings.push(`${label}: has no effect: every secret becomes a file`);
  }
  return true;
}

/** A number with its noun. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
