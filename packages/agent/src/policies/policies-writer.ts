import type { BpfMap } from "@svc/kernel";
import type { CompiledPolicies, MapEntries } from "./compile-policies.ts";

type WritableMap = Pick<BpfMap, "update" | "delete">;

/** The object's maps. */
export interface PolicyMaps {
  readonly policies: Pick<BpfMap, "update">;
  readonly executables: WritableMap;
  readonly cgroups: WritableMap;
  readonly users: WritableMap;
  readonly groups: WritableMap;
}

const fields = ["executables", "cgroups", "users", "groups"] as const;
const first = new Uint8Array(4);

/**
 * Keeps the kernel side's policies. Both sets are in the maps while the table changes over, so that an actor that both
 * allow is refused at no moment; their bits differ.
 */
export function policiesWriter(maps: PolicyMaps): (compiled: CompiledPolicies) => void {
  let written: Readonly<Record<(typeof fields)[number], MapEntries>> = {
    ...{ executables: new Map(), cgroups: new Map(), users: new Map(), groups: new Map() },
  };
  return (compiled) => {
    for (const field of fields) put(maps[field], merged(written[field], compiled[field]));
    maps.policies.update(first, compiled.policies);
    for (const field of fields) {
      put(maps[field], compiled[field]);
      for (const key of written[field].keys()) {
        if (!compiled[field].has(key)) maps[field].delete(bytesOf(key));
      }
    }
    written = compiled;
  };
}

function put(map: WritableMap, entries: MapEntries): void {
  for (const [key, value] of entries) map.update(bytesOf(key), value);
}

/** Entries of the new set, with the bits that they had: those of another content of a file have them no more. */
function merged(before: MapEntries, after: MapEntries): MapEntries {
  return new Map(
    [...after].map(([key, value]) => {
      const old = before.get(key);
      return [key, old && isAlike(old, value) ? withBitsOf(value, old) : value];
    }),
  );
}

/** Without the bits of policies, which are the first 8 bytes. */
function isAlike(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one.subarray(8), other.subarray(8)) === 0;
}

function withBitsOf(value: Uint8Array, other: Uint8Array): Uint8Array {
  return value.map((byte, index) => (index < 8 ? byte | (other[index] ?? 0) : byte));
}

function bytesOf(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, "hex"));
}
