import { describe, expect, test } from "bun:test";
import type { Capabilities } from "../monitor/capabilities.ts";
import { stopPolicy } from "../monitor/stop-policy.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import { blindKernel, kernelStandIn } from "../testdata/kernel-stand-in.ts";
import { logCapabilities } from "./log-capabilities.ts";

const good: Surroundings = {
  ...{ kernel: "6.12.0", btf: true, lockdown: "none", bpfInLsm: true, bpffs: true, tracefs: true },
  ...{ machinePids: true, missingCapabilities: [] },
};
const enforcing = stopPolicy({ enforce: true, enforceNode: false, reactiveKill: true });

/** The lines of warnings and errors, and those of information by their first words. */
async function logOf(
  changed: {
    readonly capabilities?: Partial<Capabilities>;
    readonly surroundings?: Partial<Surroundings>;
    readonly settings?: { readonly enforce: boolean; readonly dryRun: boolean };
    readonly isBlind?: boolean;
  } = {},
) {
  await using kernel = kernelStandIn(enforcing);
  const lines: (readonly [string, string, Readonly<Record<string, unknown>>])[] = [];
  const { capabilities } = changed.isBlind === true ? blindKernel : kernel.monitor;
  logCapabilities(
    (level, message, facts = {}) => void lines.push([level, message, facts]),
    {
      capabilities: { ...capabilities, ...changed.capabilities },
      surroundings: { ...good, ...changed.surroundings },
    },
    changed.settings ?? { enforce: false, dryRun: false },
  );
  return lines;
}

const loud = (lines: Awaited<ReturnType<typeof logOf>>) =>
  lines.filter(([level]) => level !== "info").map(([level, message]) => `${level}: ${message}`);

test("a kernel on which all is well has no warning", async () => {
  const lines = await logOf();
  expect(loud(lines)).toEqual([]);
  expect(lines[0]).toEqual([
    ...["info", "attempts on registered processes are seen"],
    { tier: "lsm", kernel: "6.12.0" },
  ] as never);
  const mechanisms = lines.filter(([, message]) => message === "mechanism");
  expect(mechanisms.map(([, , facts]) => facts["mechanism"])).toEqual([
    ...["lsm", "fmod_ret", "override", "tracing"],
  ]);
});

describe("the log of the start says", () => {
  const rows: readonly (readonly [string, Parameters<typeof logOf>[0], readonly string[]])[] = [
    [
      "that nothing is seen",
      { isBlind: true },
      [
        "error: the kernel lets no program in: nothing is seen, and registrations are taken all the same",
      ],
    ],
    [
      "which program was refused",
      { capabilities: { refused: [{ program: "watch_loader", reason: "no" }] } },
      ["warn: the kernel refuses a BPF program: its kinds of events are not covered"],
    ],
    [
      "that types are missing",
      { isBlind: true, surroundings: { btf: false } },
      [
        "error: the kernel lets no program in: nothing is seen, and registrations are taken all the same",
        "warn: the kernel has no types (/sys/kernel/btf/vmlinux): CONFIG_DEBUG_INFO_BTF",
      ],
    ],
    [
      "nothing about a file of types that libbpf does without",
      { surroundings: { btf: false } },
      [],
    ],
    [
      "which capabilities are missing",
      { surroundings: { missingCapabilities: ["CAP_BPF", "CAP_PERFMON"] } },
      ["warn: the agent lacks CAP_BPF, CAP_PERFMON"],
    ],
    [
      "that its numbers of processes are not the machine's",
      { surroundings: { machinePids: false } },
      [
        "warn: the agent is in a separate pid namespace (hostPID, docker --pid=host): events do not have the executables of processes",
      ],
    ],
    [
      "that a lockdown may forbid programs, if nothing is seen",
      { isBlind: true, surroundings: { lockdown: "confidentiality", bpfInLsm: false } },
      [
        expect.stringContaining("error: "),
        "warn: the kernel is locked down for confidentiality, which may forbid programs",
        "warn: bpf is not in lsm= of the kernel's command line",
      ],
    ],
    [
      "nothing of a lockdown that forbids none",
      { surroundings: { lockdown: "confidentiality", bpfInLsm: false } },
      [],
    ],
    [
      "that a dry run stops nothing",
      { settings: { enforce: true, dryRun: true } },
      ["warn: a dry run: nothing is stopped"],
    ],
    [
      "that the protection ends with the agent",
      { settings: { enforce: true, dryRun: false } },
      ["warn: the protection ends with the agent: /sys/fs/bpf has no BPF file system"],
    ],
    [
      "nothing of that if it does not",
      { settings: { enforce: true, dryRun: false }, capabilities: { isPinned: true } },
      [],
    ],
    [
      "that it can only kill",
      {
        settings: { enforce: true, dryRun: false },
        capabilities: { enforcement: "kill", isPinned: true },
      },
      ["warn: the agent kills the actor, which may be too late: this kernel can refuse nothing"],
    ],
    [
      "that nothing is stopped though it is wanted",
      { settings: { enforce: true, dryRun: false }, capabilities: { enforcement: "none" } },
      ["error: ENFORCE_MODE is set, and nothing is stopped on this kernel"],
    ],
  ];
  for (const [name, changed, lines] of rows) {
    test(name, async () => expect(loud(await logOf(changed))).toEqual([...lines]));
  }

  test("which attempts are refused, and which killed actors had the secret", async () => {
    const settings = { enforce: true, dryRun: false };
    const lines = await logOf({
      settings,
      capabilities: {
        isPinned: true,
        rows: { ptrace: "blocked", kcmp: "killed", setns: "seen", kexec: "not covered" } as never,
        leakWindows: {
          kcmp: { attempts: 50, hadIt: 3 },
          setns: { attempts: 50, hadIt: 0 },
          ptrace: "not measured",
        } as never,
      },
    });
    expect(lines.at(-1)).toEqual([
      ...["info", "attempts are refused"],
      {
        ...{ blocked: ["ptrace"], killed: ["kcmp"], seen: ["setns"], notCovered: ["kexec"] },
        ...{ killedTooLate: ["kcmp"], killedAndNotMeasured: ["ptrace"] },
      },
    ] as never);
  });
});
