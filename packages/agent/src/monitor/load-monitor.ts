import {
  BpfRing,
  closeDescriptor,
  type LoadedPrograms,
  loadPrograms,
  measurePrograms,
  type ProgramRuns,
  SyscallError,
  UnsupportedFeatureError,
} from "@svc/kernel";
import type { EventMechanism } from "../events/audit-event.ts";
import {
  type Capabilities,
  chooseTier,
  kindsOf,
  refusalReason,
  unusedState,
} from "./capabilities.ts";
import { type DropCounts, readDrops } from "./drop-counters.ts";
import { configBytes, type MonitorConfig } from "./monitor-config.ts";
import { monitorPrograms } from "./monitor-programs.ts";
import { type HookState, probeHooks } from "./probe-hooks.ts";
import { type TaskMarks, taskMarks } from "./task-marks.ts";

/** A multiple of the page's size on every machine. */
const UNUSED_RING_BYTES = 64 * 1024;

/** What the kernel side shall do. */
export interface MonitorOptions {
  /** The object file. */
  readonly object: Uint8Array;
  readonly watchNode: boolean;
  readonly logAll: boolean;
  /** Has the kernel measure how long programs run. */
  readonly measure: boolean;
  /** The kernel is locked down for confidentiality. */
  readonly confidential: boolean;
}

/** The kernel side at work; closing it takes its programs out of the kernel. */
export interface Monitor extends Disposable {
  readonly capabilities: Capabilities;
  readonly marks: TaskMarks;
  readonly violations: BpfRing;
  readonly everything: BpfRing;
  readonly drops: () => DropCounts;
  /** By program. */
  readonly runs: () => ReadonlyMap<string, ProgramRuns>;
}

/** A kernel that lets no program in. */
export interface Blindness {
  readonly capabilities: Capabilities;
  readonly reason: string;
}

/**
 * Loads what this kernel takes of the object: the hooks that are seen to be called, else what watches system calls.
 *
 * @throws SyscallError `bpf_object__open_mem`, or `ENOENT` of a program or map: the file is no object of this agent.
 */
export function loadMonitor(options: MonitorOptions): Monitor | Blindness {
  try {
    const lsm = probeHooks(options.object, "lsm");
    const fmodRet = probeHooks(options.object, "fmod_ret");
    return load(options, { lsm, fmodRet });
  } catch (error) {
    const isKernel = error instanceof SyscallError && error.syscall === "bpf_object__load";
    if (!isKernel && !(error instanceof UnsupportedFeatureError)) throw error;
    return blind(error.message);
  }
}

export function isBlind(result: Monitor | Blindness): result is Blindness {
  return "reason" in result;
}

interface Hooks {
  readonly lsm: HookState;
  readonly fmodRet: HookState;
}

function load(options: MonitorOptions, hooks: Hooks): Monitor | Blindness {
  const tier = chooseTier(hooks.lsm, hooks.fmodRet);
  const loaded = loadTier(options, tier);
  if (loaded.attached.length === 0) {
    loaded.object.close();
    return blind(loaded.refused.map(refusalReason).join("; "));
  }
  const capabilities = capabilitiesOf(tier, hooks, loaded);
  const { object } = loaded;
  const stats = options.measure ? measurePrograms() : undefined;
  const violations = new BpfRing(object.map("violations"));
  const everything = new BpfRing(object.map("everything"));
  const dropped = object.map("dropped");
  return {
    capabilities,
    marks: taskMarks(object.map("protections")),
    violations,
    everything,
    drops: () => readDrops(dropped),
    runs: () => new Map(loaded.attached.map((name) => [name, object.runsOf(name)])),
    [Symbol.dispose]: () => {
      if (stats !== undefined) closeDescriptor(stats);
      for (const ring of [violations, everything]) ring.close();
      object.close();
    },
  };
}

/** All of a mechanism; what the kernel refuses of it is replaced where something else can see the same. */
function loadTier(options: MonitorOptions, tier: EventMechanism): LoadedPrograms {
  const wanted = programsOf(tier);
  const whole = tryPrograms(options, { tier, programs: wanted });
  const missing = whole.refused.map(({ program }) => program);
  if (missing.length === 0) return whole;
  const { programs, changes } = substitutes(tier, missing);
  if (programs.length === 0 && Object.keys(changes).length === 0) return whole;
  whole.object.close();
  const rest = tier === "tracing" ? wanted : wanted.filter((name) => !missing.includes(name));
  const second = tryPrograms(options, { tier, programs: [...rest, ...programs], changes });
  const known = new Set([...second.attached, ...second.refused.map(({ program }) => program)]);
  const before = whole.refused.filter(({ program }) => !known.has(program));
  return { ...second, refused: [...before, ...second.refused] };
}

interface Substitutes {
  readonly programs: readonly string[];
  readonly changes: Partial<MonitorConfig>;
}

/** What stands in for programs that a kernel does not take. */
function substitutes(tier: EventMechanism, missing: readonly string[]): Substitutes {
  switch (tier) {
    case "lsm":
      return { programs: missing.map((name) => name.replace(/_lsm$/, "_fmod_ret")), changes: {} };
    case "fmod_ret": {
      const knowsFiles = !missing.includes("file_open_fmod_ret");
      return { programs: [], changes: knowsFiles ? {} : { accessByCheck: true } };
    }
    case "tracing": {
      const seesTargets = !missing.includes("watch_syscalls");
      return { programs: [], changes: seesTargets ? {} : { watchTargets: false } };
    }
  }
}

/** Those that carry protection to new tasks are tracing programs, and go with every mechanism. */
function programsOf(tier: EventMechanism): readonly string[] {
  return monitorPrograms
    .filter(
      ({ mechanism, kinds }) =>
        mechanism === tier || (mechanism === "tracing" && kinds.length === 0),
    )
    .map(({ name }) => name);
}

interface Attempt {
  readonly tier: EventMechanism;
  readonly programs: readonly string[];
  readonly changes?: Partial<MonitorConfig>;
}

function tryPrograms(
  options: MonitorOptions,
  { tier, programs, changes }: Attempt,
): LoadedPrograms {
  const { watchNode, logAll, confidential } = options;
  const config: MonitorConfig = {
    ...{ watchNode, logAll, readKernel: !confidential, accessByCheck: false },
    watchTargets: tier === "tracing",
    ...changes,
  };
  return loadPrograms(options.object, {
    programs,
    constants: { ".rodata.config": configBytes(config) },
    // Every page of a ring is resident twice.
    ...(!logAll && { mapEntries: { everything: UNUSED_RING_BYTES } }),
  });
}

function capabilitiesOf(
  tier: EventMechanism,
  { lsm, fmodRet }: Hooks,
  { attached, refused }: LoadedPrograms,
): Capabilities {
  const used = { state: "used" } as const;
  return {
    tier,
    mechanisms: {
      lsm: tier === "lsm" ? used : unusedState(lsm),
      fmod_ret: tier === "fmod_ret" ? used : unusedState(fmodRet),
      tracing: tier === "tracing" ? used : { state: "unused", reason: "hooks see more" },
    },
    ...kindsOf(monitorPrograms.filter(({ name }) => attached.includes(name))),
    refused: refused.map((refusal) => ({
      program: refusal.program,
      reason: refusalReason(refusal),
    })),
  };
}

function blind(reason: string): Blindness {
  const refused = { state: "refused", reason } as const;
  const mechanisms = { lsm: refused, fmod_ret: refused, tracing: refused };
  return { reason, capabilities: { tier: "none", mechanisms, ...kindsOf([]), refused: [] } };
}
