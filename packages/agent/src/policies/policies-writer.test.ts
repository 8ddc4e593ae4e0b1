import { describe, expect, test } from "bun:test";
import type { CompiledPolicies, MapEntries } from "./compile-policies.ts";
import { policiesWriter } from "./policies-writer.ts";

const bit = (place: number) => 1n << BigInt(place);
const bitsOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);

/** Maps that note each change, and fail from the n-th on. */
function recorded() {
  const contents = new Map<string, bigint>();
  const log: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  const note = (text: string) => {
    if (left-- <= 0) throw new Error("E2BIG");
    log.push(text);
  };
  const map = (name: string) => ({
    update: (key: Uint8Array, value: Uint8Array) => {
      const place = Buffer.from(key).toString("hex");
      const text = value.length < 8 ? BigInt(value[0] ?? 0) : bitsOf(value);
      note(`${name} ${place} ${text}`);
      contents.set(`${name} ${place}`, text);
    },
    delete: (key: Uint8Array) => {
      const place = Buffer.from(key).toString("hex");
      note(`${name} ${place} -`);
      return contents.delete(`${name} ${place}`);
    },
  });
  const write = policiesWriter({
    ...{ policies: map("policies"), inForce: map("inForce"), executables: map("executables") },
    ...{ cgroups: map("cgroups"), users: map("users"), groups: map("groups") },
  });
  return {
    ...{ contents, log, write },
    failAfter: (changes: number) => {
      left = changes;
    },
    users: () =>
      Object.fromEntries(
        [...contents].flatMap(([key, bits]) =>
          key.startsWith("users ") ? [[key.slice(6), bits]] : [],
        ),
      ),
  };
}

/** A set with a policy for each list of users, in order. */
const usersOf =
  (...lists: readonly (readonly string[])[]) =>
  (half: 0 | 1): CompiledPolicies => {
    const users = new Map<string, Uint8Array>();
    for (const [index, list] of lists.entries()) {
      for (const user of list) {
        const value = new Uint8Array(8);
        const before = users.get(user);
        const bits = bit(index + 32 * half) | (before ? bitsOf(before) : 0n);
        new DataView(value.buffer).setBigUint64(0, bits, true);
        users.set(user, value);
      }
    }
    return compiled({ users });
  };

function compiled(given: Partial<Omit<CompiledPolicies, "policies">>): CompiledPolicies {
  const none: MapEntries = new Map();
  return {
    ...{ policies: new Uint8Array(8), executables: none, cgroups: none, users: none },
    ...{ groups: none, ...given },
  };
}

describe("policiesWriter", () => {
  test("has both sets in the maps while one takes the other's place", () => {
    const { log, write } = recorded();
    write(usersOf(["aa"]));
    log.length = 0;
    write(usersOf(["aa"]));
    expect(log).toEqual([
      ...[`users aa ${bit(32) | 1n}`, "policies 00000000 0", "inForce 00000000 0", "users aa 1"],
    ]);
  });

  test("writes changes, and takes away entries that are named no more", () => {
    const { users, write } = recorded();
    write(usersOf(["aa", "bb"]));
    expect(users()).toEqual({ aa: bit(32), bb: bit(32) });
    write(usersOf(["bb"], ["cc"]));
    expect(users()).toEqual({ bb: bit(0), cc: bit(1) });
    write(usersOf());
    expect(users()).toEqual({});
  });

  test("gives a file of another content none of the bits that it had", () => {
    const { log, write } = recorded();
    const file = (size: number) => (half: 0 | 1) => {
      const value = new DataView(new ArrayBuffer(16));
      value.setBigUint64(0, bit(32 * half), true);
      value.setUint32(8, size, true);
      return compiled({ executables: new Map([["aa", new Uint8Array(value.buffer)]]) });
    };
    write(file(5));
    log.length = 0;
    write(file(6));
    expect(log[0]).toBe(`executables aa ${bit(0)}`);
  });

  // The second set names bb by its first policy; the third names cc by its first one. bb must not
  // have that bit then.
  const before = usersOf(["aa"]);
  const failing = usersOf(["bb"], ["aa"]);
  const after = usersOf(["cc"]);
  for (const changes of [0, 1, 2, 3, 4, 5]) {
    test(`a write that fails after ${changes} changes leaves no bit behind for the next set`, () => {
      const { contents, users, write, failAfter } = recorded();
      write(before);
      failAfter(changes);
      let hasFailed = false;
      try {
        write(failing);
      } catch {
        hasFailed = true;
      }
      expect(hasFailed).toBe(changes < 5);
      failAfter(Number.POSITIVE_INFINITY);
      write(after);
      const half = contents.get("inForce 00000000") ?? 0n;
      expect(users()).toEqual({ cc: bit(32 * Number(half)) });
    });
  }
});
