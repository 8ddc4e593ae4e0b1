import { isJsonObject, type OpenedJson, type StoredFields } from "@svc/vault";

/** A secrets engine or an auth method in the store's table of mounts. */
export interface Mount {
  /** `kv`, `kubernetes`, `pki`, … */
  readonly type: string;
  /** The store's own name of it; empty if it does not say. */
  readonly accessor: string;
  /** The version of a KV engine: `1` or `2`; absent is 1. */
  readonly version: string | undefined;
}

/** The mount at a path; undefined if there is none. */
export function mountAt(table: StoredFields | undefined, path: string): Mount | undefined {
  const entry = table?.[`${path}/`];
  if (!isJsonObject(entry)) return undefined;
  const options = isJsonObject(entry["options"]) ? entry["options"] : {};
  return {
    type: textOf(entry["type"]) ?? "unknown",
    accessor: textOf(entry["accessor"]) ?? "",
    version: textOf(options["version"]),
  };
}

/**
 * The mount that keeps another one from its path, because one of the paths goes on from the other.
 */
export function mountAcross(table: StoredFields | undefined, path: string): string | undefined {
  const wanted = `${path}/`;
  return Object.keys(table ?? {}).find((it) => it.startsWith(wanted) || wanted.startsWith(it));
}

function textOf(value: OpenedJson | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
