import {
  complain,
  type EnvMap,
  type FileMap,
  findDuplicates,
  type KvPath,
  kvPathText,
  problemsOf,
} from "@svc/settings";
import { engineOf } from "./engine-traits.ts";
import { counted, groupsOfFiles, refuseVariablesOfFiles, sourcesOf } from "./file-map.ts";
import { hasFailed, isGiven, labelOf, type Reading } from "./reading.ts";
import type { SecretItem } from "./secret-variables.ts";
import type { SecretMapping, SecretSettings, SecretSource } from "./wrapper-settings.ts";
import { reservedNames } from "./wrapper-variable.ts";

/**
 * The meaning of the items of `--secrets`.
 *
 * With paths, a bare key is a field looked for in all of them. Without, it is a separate secret at
 * `secret/data/KEY`. An item with its own path is independent of both.
 */
export function readListedSecrets(
  reading: Reading,
  items: readonly SecretItem[],
  paths: readonly KvPath[] | undefined,
  files: FileMap | undefined,
): Omit<SecretSettings, "allowReferences"> {
  refuseDuplicates(reading, items);
  const keys = items.flatMap((item) => (item.kind === "key" ? [item.key] : []));
  const placed = placedSources(items);
  if (paths === undefined)
    return { sources: [...keys.map(ownSecret), ...placed], searchedKeys: [] };
  if (keys.length > 0) {
    refuseDynamic(reading, paths);
    return { sources: [...sourcesOf(paths, { files }), ...placed], searchedKeys: keys };
  }
  if (files !== undefined) {
    return { sources: [...sourcesOf(paths, { files }), ...placed], searchedKeys: [] };
  }
  reading.warnings.push(
    "SVC_SECRET_PATHS: has no effect: every item of --secrets names its own path",
  );
  return { sources: placed, searchedKeys: [] };
}

/** Its fields are known only once it was made, and looking would make one more. */
function refuseDynamic(reading: Reading, paths: readonly KvPath[]): void {
  for (const source of paths.filter((path) => !engineOf(path).canBeReread)) {
    const path = kvPathText(source);
    complain(reading, {
      variable: "SVC_SECRET_PATHS",
      wanted: "paths of KV engines, if --secrets looks keys up in them",
      found: `got ${path}`,
      hint: `name the field: VAR=${path}#field`,
    });
  }
}

function refuseDuplicates(reading: Reading, items: readonly SecretItem[]): void {
  const places = items.map((item, index) => ({
    variable: item.kind === "key" ? item.key : item.variable,
    place: `item ${index + 1}`,
  }));
  const source = { variable: "--secrets", label: "--secrets", text: "", secret: false };
  for (const refusal of findDuplicates(places)) {
    reading.problems.push(...problemsOf(refusal, source));
  }
}

function ownSecret(key: string): SecretSource {
  return { path: `secret/data/${key}`, mappings: [{ kind: "sole", variable: key }] };
}

/** One source for each path and version, however many items name it: it is fetched once. */
function placedSources(items: readonly SecretItem[]): readonly SecretSource[] {
  const sources = new Map<string, SecretSource>();
  for (const item of items) {
    if (item.kind === "key") continue;
    const { path, field, variable } = item;
    const id = `${path.path}#${path.version ?? ""}`;
    const mapping =
      field === undefined
        ? ({ kind: "sole", variable } as const)
        : ({ kind: "field", field, variable } as const);
    sources.set(id, { ...path, mappings: [...(sources.get(id)?.mappings ?? []), mapping] });
  }
  return [...sources.values()];
}

/** The secrets to fetch: the paths with their groups of the maps, or the items of `--secrets`. */
export function readSecrets(reading: Reading): SecretSettings | undefined {
  const secrets = isGiven(reading, "secretItems") ? readShortForm(reading) : readMapped(reading);
  if (secrets === undefined) return undefined;
  const { allowReferences } = reading.values;
  refuseReserved(reading, [
    ...secrets.sources.flatMap(({ mappings }) => mappings),
    ...secrets.searchedKeys.map((key): SecretMapping => ({ kind: "sole", variable: key })),
  ]);
  refuseVariablesOfFiles(reading, secrets);
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
  const files = groupsOfFiles(reading, secretPaths);
  if (secretItems === undefined || hasFailed(reading, "secretPaths")) return undefined;
  return readListedSecrets(reading, secretItems, secretPaths, files);
}

function readMapped(reading: Reading): Sources | undefined {
  const hasFiles = isGiven(reading, "fileMap");
  requireGiven(reading, "secretPaths", "SVC_SECRET_PATHS");
  if (!hasFiles) requireGiven(reading, "envMap", "SVC_ENV_MAP");
  const { secretPaths: paths, envMap } = reading.values;
  const files = groupsOfFiles(reading, paths);
  if (paths === undefined || hasFailed(reading, "envMap") || hasFailed(reading, "fileMap")) {
    return undefined;
  }
  if (envMap !== undefined && paths.length !== envMap.length) {
    return refuseCounts(reading, paths, envMap);
  }
  if (envMap === undefined && files === undefined) return undefined;
  refuseEmptyGroups(reading, paths, { envMap, files });
  return { sources: sourcesOf(paths, { envMap, files }), searchedKeys: [] };
}

interface Maps {
  readonly envMap: EnvMap | undefined;
  readonly files: FileMap | undefined;
}

/** A secret from which nothing is delivered is most likely a slip. */
function refuseEmptyGroups(
  reading: Reading,
  paths: readonly KvPath[],
  { envMap, files }: Maps,
): void {
  for (const [index, path] of paths.entries()) {
    if ((envMap?.[index] ?? []).length > 0 || (files?.[index] ?? []).length > 0) continue;
    if (isGiven(reading, "fileMap")) {
      complain(reading, {
        variable: "SVC_FILE_MAP",
        wanted: "a map that has something of each path, or SVC_ENV_MAP has it",
        found: `group ${index + 1}, of ${kvPathText(path)}, is empty in both`,
      });
    } else {
      complain(reading, {
        variable: "SVC_ENV_MAP",
        label: labelOf(reading, "envMap", "SVC_ENV_MAP"),
        wanted: "a map without empty mappings",
        found: `mapping 1 of group ${index + 1} is empty`,
      });
    }
  }
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
