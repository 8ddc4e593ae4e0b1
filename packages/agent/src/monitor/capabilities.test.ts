import { describe, expect, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import { kinds } from "../events/event-layout.ts";
import { chooseTier, kindsOf, refusalReason, unusedState } from "./capabilities.ts";
import { monitorPrograms } from "./monitor-programs.ts";
import type { HookState } from "./probe-hooks.ts";
import { lockdownOf, missingCapabilities } from "./surroundings.ts";

const fires: HookState = { kind: "fires" };
const silent: HookState = { kind: "silent" };
const error = new SyscallError("bpf_object__load", 1);
const refused: HookState = { kind: "refused", error, log: "" };

describe("which mechanism is used", () => {
  const rows: readonly (readonly [
    lsm: HookState,
    fmodRet: HookState,
    override: HookState | undefined,
    tier: string,
  ])[] = [
    [fires, fires, undefined, "lsm"],
    [fires, refused, undefined, "lsm"],
    [silent, fires, undefined, "fmod_ret"],
    [refused, fires, undefined, "fmod_ret"],
    [silent, silent, undefined, "tracing"],
    [silent, refused, fires, "override"],
    [refused, refused, fires, "override"],
    [refused, refused, silent, "tracing"],
    [refused, refused, refused, "tracing"],
  ];
  for (const [lsm, fmodRet, override, tier] of rows) {
    const last = override ? `, override ${override.kind}` : "";
    test(`${tier} if lsm ${lsm.kind}, fmod_ret ${fmodRet.kind}${last}`, () => {
      expect(chooseTier({ lsm, fmodRet, ...(override && { override }) })).toBe(tier as never);
    });
  }
});

test("if no pid leads to its process, calls that name one are unseen, and the others are seen", () => {
  const calls = monitorPrograms.filter(({ name }) => name === "watch_syscalls");
  const { kinds: seen, unseen } = kindsOf(calls, false);
  expect(Object.keys(seen).sort()).toEqual([
    ...["agent_adoption", "agent_tampering", "bpf_program_load", "kexec"],
    ...["module_load", "swap_space"],
  ]);
  expect(unseen).toContain("ptrace");
  expect(unseen).toContain("cpu_sampling");
  expect(kindsOf(calls).kinds).toMatchObject({ ptrace: "watch_syscalls", kexec: "watch_syscalls" });
});

test("a mechanism that attaches and is never called is not called refused", () => {
  expect(unusedState(silent).state).toBe("silent");
  expect(unusedState(refused)).toEqual({
    ...{
      state: "refused",
      reason: expect.stringMatching(/^bpf_object__load: EPERM \(a capability/),
    },
  });
  expect(unusedState(fires).state).toBe("unused");
});

test("the verifier's last words are the reason, in one line", () => {
  const log =
    "0: R1=ctx()\nunknown func bpf_override_return#58\nprocessed 3 insns (limit 1000000)\n";
  const reason = refusalReason({ error, log });
  expect(reason).toBe("bpf_object__load: EPERM: unknown func bpf_override_return#58");
});

describe("what is seen", () => {
  for (const mechanism of ["tracing", "lsm", "fmod_ret"] as const) {
    test(`by ${mechanism}: every kind is either reported by a program of it or unseen`, () => {
      const programs = monitorPrograms.filter((program) => program.mechanism === mechanism);
      const seen = kindsOf(programs);
      expect([...Object.keys(seen.kinds), ...seen.unseen].sort()).toEqual([...kinds].sort());
      for (const name of Object.values(seen.kinds)) {
        expect(programs.map((program) => program.name)).toContain(name);
      }
    });
  }

  test("by nothing is nothing", () => {
    expect(kindsOf([])).toEqual({ kinds: {}, unseen: kinds });
  });
});

describe("the facts about the machine", () => {
  const lockdowns = [
    ["[none] integrity confidentiality", "none"],
    ["none integrity [confidentiality]", "confidentiality"],
    [undefined, "unknown"],
    ["", "unknown"],
  ] as const;
  for (const [text, state] of lockdowns) {
    test(`lockdown "${text}" is ${state}`, () => expect(lockdownOf(text)).toBe(state));
  }

  const capabilities: readonly (readonly [mask: string, missing: readonly string[]])[] = [
    ["000001ffffffffff", []],
    ["0000000000000000", ["CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE"]],
    // CAP_SYS_ADMIN and CAP_SYS_PTRACE: an older kernel's way.
    ["0000000000280000", []],
    ["0000000000200000", ["CAP_SYS_PTRACE"]],
    ["000000c000080000", []],
    ["0000008000000000", ["CAP_PERFMON", "CAP_SYS_PTRACE"]],
  ];
  for (const [mask, missing] of capabilities) {
    test(`CapEff ${mask} lacks ${missing.join(", ") || "nothing"}`, () => {
      expect(missingCapabilities(`Name:\tx\nCapEff:\t${mask}\nCapBnd:\t0\n`)).toEqual(missing);
    });
  }
});
