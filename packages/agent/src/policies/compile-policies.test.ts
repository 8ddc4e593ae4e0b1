import { describe, expect, test } from "bun:test";
import { compilePolicies, type ExecutableFacts } from "./compile-policies.ts";
import { attemptsOnPrograms, type Policy } from "./policy.ts";
import { PolicyNames } from "./policy-names.ts";

const sha256 = "ab".repeat(32);
const file: ExecutableFacts = {
  ...{ inode: 77n, device: 0x800001, sha256, size: 5n, changedNs: 1_500_000_000n },
};
const uid = "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f";
const base: Policy = {
  ...{ name: "backup", reason: "nightly", mode: "allow", attempts: attemptsOnPrograms },
  ...{ executables: [], units: [], pods: [], users: [1000], groups: [] },
};
const compile = (
  policies: readonly Policy[],
  { half = 0, found, seesMachine = true }: Partial<Compiling> = {},
) =>
  compilePolicies(policies, {
    ...{ half, nowMs: 1000, bootNs: 5n, numberOf: new PolicyNames().numberOf, seesMachine },
    executableAt: () => found,
    podsOf: ({ namespace }) => (namespace === "backup" ? [uid] : []),
  });
interface Compiling {
  readonly half: 0 | 1;
  readonly found: ExecutableFacts | undefined;
  readonly seesMachine: boolean;
}
const words = (bytes: Uint8Array) => new BigUint64Array(bytes.slice().buffer);

describe("compilePolicies", () => {
  test("gives a policy its bit in the words of struct svc_policies", () => {
    const [live, allowing, dry, anyFile, anyCgroup, anyUser, anywhere] = words(
      compile([base]).policies,
    );
    expect([live, allowing, dry]).toEqual([1n, 1n, 0n]);
    expect([anyFile, anyCgroup, anyUser, anywhere]).toEqual([1n, 1n, 0n, 0n]);
  });

  test("leaves an expired one out, and notes the end of each other one", () => {
    const ends = [1000, 3000, 2000, undefined].map((expiresMs, index) => ({
      ...{ ...base, name: `n${index}` },
      ...(expiresMs !== undefined && { expiresMs }),
    }));
    const found = words(compile(ends).policies);
    expect(found[0]).toBe(7n);
    const never = 2n ** 63n - 1n;
    // A place without a policy has ended, for a table that is half read.
    expect([...found.slice(103, 107)]).toEqual([2_000_000_005n, 1_000_000_005n, never, 0n]);
  });

  test("gives an end that the clock does not reach the last moment there is", () => {
    const [end] = words(compile([{ ...base, expiresMs: 8.64e15 }]).policies).slice(103);
    expect(end).toBe(2n ** 63n - 1n);
  });

  test("has the upper half of the bits for the next set", () => {
    expect(words(compile([base], { half: 1 }).policies)[0]).toBe(1n << 32n);
  });

  test("leaves out those that hold in the machine's mount namespace if that is not seen", () => {
    const unit = { ...base, name: "unit", users: [], units: ["backup.service"] };
    const { policies, cgroups, users } = compile([base, unit], { seesMachine: false });
    expect([words(policies)[0], cgroups.size, users.size]).toEqual([1n, 1, 0]);
  });

  const executables = [{ path: "/usr/bin/gdb", sha256 }];
  const rows: readonly (readonly [string, ExecutableFacts | undefined, number])[] = [
    ["as its digest says", file, 1],
    ["of another digest", { ...file, sha256: "cd".repeat(32) }, 0],
    ["that cannot be read", undefined, 0],
  ];
  for (const [name, found, count] of rows) {
    test(`an executable ${name} has ${count} entries, and the policy still asks for it`, () => {
      const compiled = compile([{ ...base, executables }], { found });
      expect(compiled.executables.size).toBe(count);
      expect(words(compiled.policies)[3]).toBe(0n);
    });
  }

  test("gives a pod's folder the bit, by each name that the kubelet may give it", () => {
    const pods = [{ namespace: "backup", matchLabels: {} }];
    const compiled = compile([{ ...base, users: [], pods }], { seesMachine: false });
    const names = [...compiled.cgroups.keys()].map((key) =>
      Buffer.from(key, "hex").toString().replaceAll("\0", ""),
    );
    const escaped = uid.replaceAll("-", "_");
    expect(names).toEqual([
      `pod${uid}`,
      `kubepods-pod${escaped}.slice`,
      `kubepods-burstable-pod${escaped}.slice`,
      `kubepods-besteffort-pod${escaped}.slice`,
    ]);
    const [live, , , anyFile, anyCgroup, anyUser, anywhere] = words(compiled.policies);
    expect([live, anyFile, anyCgroup, anyUser, anywhere]).toEqual([1n, 1n, 0n, 1n, 1n]);
  });

  test("lets no process through by a policy of pods that are not there", () => {
    const pods = [{ namespace: "shop", matchLabels: {} }];
    const compiled = compile([{ ...base, users: [], pods }]);
    expect(compiled.cgroups.size).toBe(0);
    expect(words(compiled.policies)[4]).toBe(0n);
  });
});
