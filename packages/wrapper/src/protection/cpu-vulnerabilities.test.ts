import { describe, expect, test } from "bun:test";
import { judgeCpu, measureCpu } from "./cpu-vulnerabilities.ts";

describe("judgeCpu", () => {
  const states: readonly (readonly [state: string, open: boolean])[] = [
    ["Not affected", false],
    ["Mitigation: PTI", false],
    ["Mitigation: Clear CPU buffers; SMT vulnerable", false],
    ["Mitigation: Retpolines; STIBP: disabled; BHI: Not affected", false],
    ["Mitigation: Retpolines; STIBP: disabled; BHI: Vulnerable", true],
    ["Vulnerable", true],
    ["Vulnerable: Safe RET, no microcode", true],
    ["KVM: Vulnerable", true],
    ["Processor vulnerable", true],
    ["Unknown: Dependent on hypervisor status", true],
  ];
  for (const [state, open] of states) {
    test(`takes "${state}" for ${open ? "open" : "closed"}`, () => {
      const found = judgeCpu([
        ["meltdown", "Mitigation: PTI\n"],
        ["this", `${state}\n`],
      ]);
      expect(found).toEqual(open ? { kind: "vulnerable", names: ["this"] } : { kind: "mitigated" });
    });
  }

  test("does not take a kernel that says nothing for a safe one", () => {
    expect(judgeCpu([]).kind).toBe("unmeasured");
  });
});

test("measureCpu reads this machine's", () => {
  expect(measureCpu().kind).not.toBe("unmeasured");
});
