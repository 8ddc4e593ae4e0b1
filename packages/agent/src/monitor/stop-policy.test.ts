import { describe, expect, test } from "bun:test";
import { kinds } from "../events/event-layout.ts";
import { isIn, type StopSettings, stopPolicy } from "./stop-policy.ts";
import { type StopRow, stopsOf } from "./stop-rows.ts";

const everything = Object.fromEntries(kinds.map((kind) => [kind, "a program"]));
const all: StopSettings = { enforce: true, enforceNode: true, reactiveKill: true };

describe("what is stopped", () => {
  const rows: readonly (readonly [
    name: string,
    settings: Partial<StopSettings>,
    kind: (typeof kinds)[number],
    is: "stopped" | "killed" | "neither",
  ])[] = [
    ["memory, by a kill at worst", {}, "process_vm_readv", "killed"],
    ["a module, by a kill at worst", {}, "module_load", "killed"],
    ["a comparison, but without a kill", {}, "kcmp", "stopped"],
    [
      "memory without REACTIVE_KILL, but without a kill",
      { reactiveKill: false },
      "ptrace",
      "stopped",
    ],
    ["no module without ENFORCE_NODE", { enforceNode: false }, "module_load", "neither"],
    [
      "tampering with the agent without ENFORCE_NODE",
      { enforceNode: false },
      "agent_tampering",
      "killed",
    ],
    ["no agent that begins", {}, "agent_adoption", "neither"],
    ["nothing without ENFORCE_MODE", { enforce: false }, "ptrace", "neither"],
  ];
  for (const [name, settings, kind, is] of rows) {
    test(name, () => {
      const { stopped, killed } = stopPolicy({ ...all, ...settings });
      const found = isIn(killed, kind) ? "killed" : isIn(stopped, kind) ? "stopped" : "neither";
      expect(found).toBe(is);
    });
  }

  test("sets no bit without a kind", () => {
    expect(stopPolicy(all).stopped >> BigInt(kinds.length + 1)).toBe(0n);
    expect(stopPolicy(all).stopped & 1n).toBe(0n);
  });
});

describe("the outcome of attempts on a kernel", () => {
  const policy = stopPolicy(all);
  const rows = [
    ["lsm", "refuse", { ptrace: "blocked", kcmp: "blocked", process_layout_file: "blocked" }],
    ["override", "refuse", { ptrace: "blocked", kcmp: "blocked" }],
    ["tracing", "kill", { ptrace: "killed", kcmp: "seen", process_layout_file: "seen" }],
  ] as const;
  for (const [tier, enforcement, found] of rows) {
    test(`by ${tier}`, () => {
      const stops = stopsOf({
        tier,
        policy,
        seen: everything,
        knowsInodes: true,
        readsKernel: true,
        seesMemory: true,
        killsSharers: true,
      });
      expect(stops).toMatchObject({ enforcement, rows: { ...found, agent_adoption: "seen" } });
    });
  }

  test("nothing, if no program is let in", () => {
    const { enforcement, rows } = stopsOf({
      tier: "none",
      policy,
      seen: {},
      knowsInodes: true,
      readsKernel: true,
      seesMemory: true,
      killsSharers: true,
    });
    expect(enforcement).toBe("none");
    expect(new Set(Object.values(rows))).toEqual(new Set(["not covered"]));
  });

  const details = [
    [
      "lsm",
      true,
      { process_control_file: "blocked", process_file_held: "blocked", agent_pins: "blocked" },
    ],
    ["lsm", true, { process_mapped_file: "blocked", bpf_network_program: "blocked" }],
    ["lsm", false, { process_mapped_file: "not covered", bpf_network_program: "seen" }],
    ["lsm", true, { perf_event_inherited: "blocked" }],
    ["lsm", true, { process_environment: "blocked", process_layout_file: "blocked" }],
    ["override", true, { process_environment: "blocked", process_layout_file: "blocked" }],
    // Tools that look at every process read both, and must not be killed for it.
    ["tracing", true, { process_environment: "seen", process_layout_file: "seen" }],
    ["override", true, { perf_event_inherited: "not covered", bpf_network_program: "blocked" }],
    ["tracing", true, { process_mapped_file: "not covered", bpf_network_program: "killed" }],
    [
      "fmod_ret",
      true,
      { process_control_file: "blocked", process_file_held: "blocked", agent_pins: "blocked" },
    ],
    ["lsm", false, { process_control_file: "not covered", process_file_held: "not covered" }],
    [
      "override",
      true,
      { process_file_held: "blocked", process_file_by_ring: "killed", agent_pins: "not covered" },
    ],
    ["lsm", true, { core_signal: "blocked", core_signal_by_file: "blocked" }],
    ["override", true, { core_signal: "blocked", core_signal_by_file: "detected" }],
    ["tracing", true, { core_signal: "detected", core_signal_by_file: "detected" }],
    [
      "tracing",
      true,
      { process_file_held: "killed", process_file_by_ring: "killed", agent_pins: "not covered" },
    ],
  ] as const;
  for (const [tier, knowsInodes, rows] of details) {
    const what = knowsInodes ? "" : ", if it does not know whose a file of /proc is";
    test(`in detail, by ${tier}${what}: ${Object.keys(rows)}`, () => {
      expect(
        stopsOf({
          ...{ tier, policy, seen: everything, knowsInodes },
          ...{
            readsKernel: knowsInodes,
            seesMemory: tier === "tracing" || tier === "override",
            killsSharers: true,
          },
        }).rows,
      ).toMatchObject(rows);
    });
  }

  for (const seesMemory of [true, false]) {
    const outcome = seesMemory ? "seen" : "not covered";
    test(`a descriptor that was open before is ${outcome} by tracing that only looks`, () => {
      const { rows } = stopsOf({
        ...{ tier: "tracing", policy: { stopped: 0n, killed: 0n }, seen: everything },
        ...{ knowsInodes: true, readsKernel: true, seesMemory, killsSharers: true },
      });
      const found = { process_file_held: outcome, process_file_by_ring: outcome };
      expect(rows).toMatchObject({ process_file: "seen", ...found });
    });
  }

  for (const killsSharers of [true, false]) {
    const others = killsSharers ? "killed" : "detected";
    test(`samplers are ${others} by tracing, and core dumps are not prevented`, () => {
      const { rows, leakWindows } = stopsOf({
        ...{ tier: "tracing", policy, seen: everything, killsSharers },
        ...{ knowsInodes: true, readsKernel: true, seesMemory: true },
      });
      expect(rows).toMatchObject({
        ...{ core_signal: "detected", core_limit: "detected", process_file: "killed" },
        ...{ perf_event_open: others, cpu_sampling: others, kernel_probe: others },
        agent_tampering: others,
      });
      expect(Object.keys(leakWindows)).not.toContain("core_signal");
    });
  }

  test("gives a leak window for each kind that ends in a kill, and for no other", () => {
    const facts = {
      policy,
      seen: everything,
      knowsInodes: true,
      readsKernel: true,
      seesMemory: true,
      killsSharers: true,
    };
    const { rows, leakWindows } = stopsOf({ tier: "tracing", ...facts });
    const killed = Object.keys(rows).filter((row) => rows[row as StopRow] === "killed");
    expect(Object.keys(leakWindows)).toEqual(killed);
    expect(leakWindows).toMatchObject({
      ptrace: { attempts: 150, hadIt: 0 },
      kexec: { attempts: 50, hadIt: 0 },
      // Nothing sees it on that tier, and no attack of the catalogue does it.
      hibernation: "not measured",
    });
    expect(Object.keys(stopsOf({ tier: "lsm", ...facts }).leakWindows)).toEqual(["loader"]);
  });

  test("only reports if kills are off and no mechanism refuses", () => {
    const mild = stopPolicy({ ...all, reactiveKill: false });
    expect(
      stopsOf({
        tier: "tracing",
        policy: mild,
        seen: everything,
        knowsInodes: true,
        readsKernel: true,
        seesMemory: true,
        killsSharers: true,
      }).enforcement,
    ).toBe("none");
  });
});
