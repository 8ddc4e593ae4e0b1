import { describe, expect, test } from "bun:test";
import { nodeFindings } from "./node-checks.ts";
import { type NodeFacts, nodeFacts } from "./node-facts.ts";

const good: NodeFacts = {
  ...{ noSecretMemory: undefined, lockLimit: 8 << 20, capabilities: 0n, ptraceScope: "1" },
  ...{ swaps: "Filename\tType", hasTypes: true, securityModules: "lockdown,yama,bpf" },
  vulnerabilities: new Map([
    ["meltdown", "Mitigation: PTI"],
    ["mds", "Mitigation: Clear CPU buffers; SMT vulnerable"],
    ["tsa", "Not affected"],
  ]),
};
const judged = (facts: Partial<NodeFacts>, check: string) =>
  nodeFindings({ ...good, ...facts }).find((finding) => finding.check === check);

test("a good machine has nothing to mend", () => {
  expect(nodeFindings(good).map(({ level, fix }) => [level, fix])).toEqual(
    nodeFindings(good).map(() => ["ok", undefined]),
  );
});

describe("a machine is warned of", () => {
  const rows: readonly (readonly [string, Partial<NodeFacts>, string, string])[] = [
    ["no memfd_secret", { noSecretMemory: "ENOSYS" }, "memfd_secret", "ENOSYS"],
    ["little locked memory", { lockLimit: 65_536 }, "locked memory", "RLIMIT_MEMLOCK is 64 KiB"],
    ["swap", { swaps: "Filename\n/dev/sda2 partition" }, "swap", "/dev/sda2"],
    ["no tracing", { ptraceScope: "3" }, "ptrace", "ptrace_scope is 3"],
    ["tracing for others", { ptraceScope: "2" }, "ptrace", "ptrace_scope is 2"],
    ["no types", { hasTypes: false }, "kernel agent", "no BTF types"],
    ["no hooks", { securityModules: "yama" }, "kernel agent", "bpf is not in"],
    [
      "an open processor",
      { vulnerabilities: new Map([["mds", "Vulnerable: no microcode"]]) },
      ...(["processor", "open to mds"] as const),
    ],
  ];
  for (const [name, facts, check, found] of rows) {
    test(name, () => {
      const finding = judged(facts, check);
      expect(finding).toMatchObject({ level: "warning", found: expect.stringContaining(found) });
      expect([finding?.why, finding?.fix]).toEqual([expect.any(String), expect.any(String)]);
    });
  }
});

test("a right takes a limit away", () => {
  expect(judged({ lockLimit: 0, capabilities: 1n << 14n }, "locked memory")?.level).toBe("ok");
  expect(judged({ ptraceScope: "2", capabilities: 1n << 19n }, "ptrace")?.level).toBe("ok");
  expect(judged({ ptraceScope: "3", capabilities: 1n << 19n }, "ptrace")?.level).toBe("warning");
});

test("things that cannot be read are unknown, and not well", () => {
  expect(judged({ swaps: undefined }, "swap")?.level).toBe("unknown");
  expect(judged({ securityModules: undefined }, "kernel agent")?.level).toBe("unknown");
  expect(judged({ vulnerabilities: new Map() }, "processor")?.level).toBe("unknown");
});

test("this machine can be looked at", () => {
  const findings = nodeFindings(nodeFacts());
  expect(findings).toHaveLength(6);
  for (const { found } of findings) expect(found).not.toBe("");
});
