import { describe, expect, test } from "bun:test";
import { compilePolicies, type ExecutableFacts } from "./compile-policies.ts";
import { policiesWriter } from "./policies-writer.ts";
import { attemptsOnPrograms, type Policy } from "./policy.ts";
import { PolicyNames } from "./policy-names.ts";

const sha256 = "ab".repeat(32);
const file: ExecutableFacts = {
  ...{ inode: 77n, device: 0x800001, sha256, size: 5n, changedNs: 1_500_000_000n },
};
const base: Policy = {
  ...{ name: "backup", reason: "nightly", mode: "allow", attempts: attemptsOnPrograms },
  ...{ executables: [], units: [], users: [1000], groups: [] },
};
const compile = (policies: readonly Policy[], half: 0 | 1 = 0, found?: ExecutableFacts) =>
  compilePolicies(policies, {
    ...{ half, nowMs: 1000, bootNs: 5n, numberOf: new PolicyNames().numberOf },
    executableAt: () => found,
  });
const words = (bytes: Uint8Array) => new BigUint64Array(bytes.slice().buffer);

describe("compilePolicies", () => {
  test("gives a policy its bit in the words of struct svc_policies", () => {
    const [live, lasting, until, allowing, dry, anyFile, anyCgroup, anyUser, anywhere] = words(
      compile([base]).policies,
    );
    expect([live, lasting, until, allowing, dry]).toEqual([1n, 1n, 0n, 1n, 0n]);
    expect([anyFile, anyCgroup, anyUser, anywhere]).toEqual([1n, 1n, 0n, 0n]);
  });

  test("leaves an expired one out, and notes the first end of the others", () => {
    const ends = [1000, 3000, 2000].map((expiresMs, index) => ({
      ...{ ...base, expiresMs, name: `n${index}` },
    }));
    const [live, lasting, until] = words(compile(ends).policies);
    expect([live, lasting, until]).toEqual([3n, 0n, 1_000_000_005n]);
  });

  test("has the upper half of the bits for the next set", () => {
    expect(words(compile([base], 1).policies)[0]).toBe(1n << 32n);
  });

  const executables = [{ path: "/usr/bin/gdb", sha256 }];
  const rows: readonly (readonly [string, ExecutableFacts | undefined, number])[] = [
    ["as its digest says", file, 1],
    ["of another digest", { ...file, sha256: "cd".repeat(32) }, 0],
    ["that cannot be read", undefined, 0],
  ];
  for (const [name, found, count] of rows) {
    test(`an executable ${name} has ${count} entries, and the policy still asks for it`, () => {
      const compiled = compile([{ ...base, executables }], 0, found);
      expect(compiled.executables.size).toBe(count);
      expect(words(compiled.policies)[5]).toBe(0n);
    });
  }
});

describe("policiesWriter", () => {
  function recorded() {
    const contents = new Map<string, bigint>();
    const log: string[] = [];
    const map = (name: string) => ({
      update: (key: Uint8Array, value: Uint8Array) => {
        contents.set(`${name} ${Buffer.from(key).toString("hex")}`, words(value)[0] ?? 0n);
        log.push(`${name} ${words(value)[0]}`);
      },
      delete: (key: Uint8Array) => {
        log.push(`${name} -`);
        return contents.delete(`${name} ${Buffer.from(key).toString("hex")}`);
      },
    });
    const write = policiesWriter({
      ...{ policies: map("policies"), executables: map("executables"), cgroups: map("cgroups") },
      ...{ users: map("users"), groups: map("groups") },
    });
    return { contents, log, write };
  }

  test("has both sets in the maps while the table changes over", () => {
    const { contents, log, write } = recorded();
    write(compile([base], 0));
    log.length = 0;
    write(compile([base], 1));
    const upper = 1n << 32n;
    expect(log).toEqual([`users ${upper | 1n}`, `policies ${upper}`, `users ${upper}`]);
    write(compile([], 0));
    expect([...contents.values()]).toEqual([0n]);
  });

  test("gives a file of another content none of the bits that it had", () => {
    const { log, write } = recorded();
    const named = { ...base, executables: [{ path: "/x", sha256 }] };
    write(compile([named], 0, file));
    log.length = 0;
    write(compile([named], 1, { ...file, size: 6n }));
    expect(log[0]).toBe(`executables ${1n << 32n}`);
  });
});
