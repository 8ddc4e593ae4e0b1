import type { BpfMap } from "@svc/kernel";
import type { CompiledPolicies, MapEntries } from "./compile-policies.ts";

type WritableMap = Pick<BpfMap, "update" | "delete">;

/** The object's maps. */
export interface PolicyMaps {
  readonly policies: Pick<BpfMap, "update">;
  readonly inForce: Pick<BpfMap, "update">;
  readonly executables: WritableMap;
  readonly cgroups: WritableMap;
  readonly users: WritableMap;
  readonly groups: WritableMap;
}

const fields = ["executables", "cgroups", "users", "groups"] as const;
type Field = (typeof fields)[number];

/** Compiles policies to bits of one half. */
export type CompileHalf = (half: 0 | 1) => CompiledPolicies;

/**
 * Keeps the kernel side's policies. Both sets are in the maps while the one takes the other's
 * place, so that an actor that both allow is refused at no moment; their bits differ.
 *
 * A write that fails leaves the set before in force, and may leave bits of the new one behind. The
 * next write takes them away first: a bit means another policy in the next set.
 */
export function policiesWriter(maps: PolicyMaps): (compile: CompileHalf) => void {
  const contents = {
    executables: new MapContents(maps.executables),
    cgroups: new MapContents(maps.cgroups),
    users: new MapContents(maps.users),
    groups: new MapContents(maps.groups),
  } satisfies Record<Field, MapContents>;
  let inForce: Readonly<Record<Field, MapEntries>> = {
    ...{ executables: new Map(), cgroups: new Map(), users: new Map(), groups: new Map() },
  };
  let half: 0 | 1 = 0;
  return (compile) => {
    const other = half === 0 ? 1 : 0;
    const compiled = compile(other);
    for (const field of fields) contents[field].become(inForce[field]);
    for (const field of fields) {
      contents[field].become(union(inForce[field], merged(inForce[field], compiled[field])));
    }
    maps.policies.update(numberBytes(other), compiled.policies);
    maps.inForce.update(numberBytes(0), numberBytes(other));
    half = other;
    inForce = compiled;
    for (const field of fields) contents[field].become(compiled[field]);
  };
}

/** A map of the kernel side, with the entries that were put into it, or may have been. */
class MapContents {
  readonly #map: WritableMap;
  readonly #contents = new Map<string, Uint8Array | undefined>();

  constructor(map: WritableMap) {
    this.#map = map;
  }

  /** Writes the entries that differ. */
  become(entries: MapEntries): void {
    for (const [key, value] of entries) {
      const before = this.#contents.get(key);
      if (before !== undefined && Buffer.compare(before, value) === 0) continue;
      // It may be there, or not, if this fails.
      this.#contents.set(key, undefined);
      this.#map.update(bytesOf(key), value);
      this.#contents.set(key, value);
    }
    for (const key of [...this.#contents.keys()]) {
      if (entries.has(key)) continue;
      this.#map.delete(bytesOf(key));
      this.#contents.delete(key);
    }
  }
}

/**
 * Entries of the new set, with the bits that they had: those of another content of a file have them
 * no more.
 */
function merged(before: MapEntries, after: MapEntries): MapEntries {
  return new Map(
    [...after].map(([key, value]) => {
      const old = before.get(key);
      return [key, old && isAlike(old, value) ? withBitsOf(value, old) : value];
    }),
  );
}

function union(one: MapEntries, other: MapEntries): MapEntries {
  return new Map([...one, ...other]);
}

/** Without the bits of policies, which are the first 8 bytes. */
function isAlike(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one.subarray(8), other.subarray(8)) === 0;
}

function withBitsOf(value: Uint8Array, other: Uint8Array): Uint8Array {
  return value.map((byte, index) => (index < 8 ? byte | (other[index] ?? 0) : byte));
}

function numberBytes(number: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(number).buffer);
}

function bytesOf(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, "hex"));
}
