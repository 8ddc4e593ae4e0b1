import { findDuplicates, type KvPath, problemsOf } from "@svc/settings";
import { complain, type Reading } from "./reading.ts";
import type { SecretItem } from "./secret-item.ts";
import type { SecretSettings, SecretSource } from "./wrapper-settings.ts";

/**
 * The meaning of the items of `--secrets`.
 *
 * With paths, a bare key is a field looked for in all of them. Without, it is a secret of its own
 * at `secret/data/KEY`. An item with a path of its own is independent of both.
 */
export function readListedSecrets(
  reading: Reading,
  items: readonly SecretItem[],
  paths: readonly KvPath[] | undefined,
): Omit<SecretSettings, "allowReferences"> {
  refuseDuplicates(reading, items);
  const keys = items.flatMap((item) => (item.kind === "key" ? [item.key] : []));
  const placed = placedSources(items);
  if (paths === undefined)
    return { sources: [...keys.map(ownSecret), ...placed], searchedKeys: [] };
  if (keys.length > 0) {
    refuseDynamic(reading, paths);
    const searched = paths.map((path): SecretSource => ({ ...path, mappings: [] }));
    return { sources: [...searched, ...placed], searchedKeys: keys };
  }
  reading.warnings.push(
    "SVC_SECRET_PATHS: has no effect: every item of --secrets names a path of its own",
  );
  return { sources: placed, searchedKeys: [] };
}

/** Its fields are known only once it was made, and looking would make one more. */
function refuseDynamic(reading: Reading, paths: readonly KvPath[]): void {
  for (const { path, dynamic } of paths) {
    if (dynamic === undefined) continue;
    complain(reading, {
      variable: "SVC_SECRET_PATHS",
      wanted: "paths of KV engines, where --secrets looks keys up in them",
      found: `got dynamic:${path}`,
      hint: `name the field: VAR=dynamic:${path}#field`,
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
