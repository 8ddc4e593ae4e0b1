import process from "node:process";
import {
  BpfObject,
  BpfRing,
  bootNanoseconds,
  closeDescriptor,
  measurePrograms,
  openProcess,
  type ProgramRuns,
  SyscallError,
  UnsupportedFeatureError,
} from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import type { EventMechanism } from "../events/audit-event.ts";
import type { KernelInode } from "../kernel-inode.ts";
import { type CompileHalf, type PolicyMaps, policiesWriter } from "../policies/policies-writer.ts";
import type { ContainerRuntimes } from "../runtimes/find-runtimes.ts";
import { runtimesWriter } from "../runtimes/runtimes-writer.ts";
import { TokenFileWriter } from "../token-files/token-file-maps.ts";
import { type AgentState, agentState } from "./agent-state.ts";
import { type BlindnessCause, blindnessCause, explained, refusedAll } from "./blindness.ts";
import {
  type Capabilities,
  chooseTier,
  kindsOf,
  type MechanismState,
  refusalReason,
  unusedState,
} from "./capabilities.ts";
import { type DropCounts, readDrops } from "./drop-counters.ts";
import { becomeKnown, type KernelPins, removeOtherLinks } from "./kernel-pins.ts";
import { isAtLeast } from "./kernel-release.ts";
import { type LoadedTier, loadTier } from "./load-tier.ts";
import { fillLoaderKey } from "./loader-key.ts";
import type { MonitorOptions } from "./monitor-options.ts";
import { type MonitorProgram, monitorPrograms } from "./monitor-programs.ts";
import { type HookState, isCalled, probeHooks } from "./probe-hooks.ts";
import { readReadingFunctions, writeReadingFunctions } from "./reading-functions.ts";
import type { StopPolicy } from "./stop-policy.ts";
import { stopsOf } from "./stop-rows.ts";
import { keepRegions, type TaskMarks, taskMarks } from "./task-marks.ts";
import { keepProbesUnoptimised } from "./unoptimised-probes.ts";

/**
 * The kernel side at work. Closing it takes its programs out of the kernel, except for pinned ones.
 */
export interface Monitor extends Disposable {
  readonly capabilities: Capabilities;
  readonly marks: TaskMarks;
  /** Notes which regions of secrets are of which registration. */
  readonly keepRegions: (regions: readonly KernelInode[], registration: bigint) => void;
  readonly tokenFiles: TokenFileWriter;
  readonly state: AgentState;
  /** Has these container runtimes enter the namespaces of programs, and no others. */
  readonly allowRuntimes: (runtimes: ContainerRuntimes) => void;
  /** Has these policies in force, and no others. */
  readonly allowPolicies: (compile: CompileHalf) => void;
  readonly violations: BpfRing;
  readonly everything: BpfRing;
  readonly drops: () => DropCounts;
  /**
   * Whether the kernel still calls the programs. A process that had opened the switch earlier can
   * turn them off.
   */
  readonly isCalled: () => boolean;
  /** By program. */
  readonly runs: () => ReadonlyMap<string, ProgramRuns>;
}

/** A kernel that lets no program in. */
export interface Blindness extends BlindnessCause {
  readonly capabilities: Capabilities;
}

/**
 * Loads the programs of the object that this kernel accepts: hooks if the kernel calls them,
 * otherwise the programs that watch system calls.
 *
 * @throws SyscallError `bpf_object__open_mem`, or `ENOENT` of a program or map: the file is not an
 * object of this agent.
 */
export function loadMonitor(options: MonitorOptions): Monitor | Blindness {
  try {
    return load(options, probeAll(options));
  } catch (error) {
    const isKernel = error instanceof SyscallError && error.syscall === "bpf_object__load";
    if (!isKernel && !(error instanceof UnsupportedFeatureError)) throw error;
    return blind(blindnessCause(error, options.surroundings));
  }
}

export function isBlind(result: Monitor | Blindness): result is Blindness {
  return "reason" in result;
}

interface Hooks {
  readonly lsm: HookState;
  readonly fmodRet: HookState;
  /** The agent looks for it if it is to stop attempts and the kernel has no hook. */
  readonly override?: HookState;
}

function probeAll({ object, policy }: MonitorOptions): Hooks {
  const lsm = probeHooks(object, "lsm");
  const fmodRet = probeHooks(object, "fmod_ret");
  const hasHooks = lsm.kind === "fires" || fmodRet.kind === "fires";
  if (hasHooks || policy.stopped === 0n) return { lsm, fmodRet };
  return { lsm, fmodRet, override: probeOverride(object) };
}

function probeOverride(object: Uint8Array): HookState {
  try {
    keepProbesUnoptimised();
  } catch {
    // A mechanism that refuses at first, and stops refusing a moment later, is useless.
    return { kind: "silent" };
  }
  return probeHooks(object, "override");
}

function load(options: MonitorOptions, hooks: Hooks): Monitor | Blindness {
  const tier = chooseTier(hooks);
  const { pins, runtimes } = options;
  const suffix = `-${bootNanoseconds()}`;
  if (pins) checkPinnedMaps(options.object, pins);
  // Programs are looked into only to refuse them.
  const functions = options.policy.stopped === 0n ? [] : readReadingFunctions();
  const prepare = (object: BpfObject): void => {
    becomeAgent(object);
    fillLoaderKey(object.map("loader_key"));
    runtimesWriter(object.map("runtimes"))(runtimes);
    writeReadingFunctions(object.map("reading_functions"), functions);
  };
  const loaded = loadTier({ ...options, tier, prepare });
  if (loaded.attached.length === 0) {
    loaded.object.close();
    return blind(refusedAll(loaded.refused.map(refusalReason), options.surroundings));
  }
  const { object } = loaded;
  if (pins) {
    object.pinLinks(pins.folder, suffix);
    removeOtherLinks(pins, suffix);
    becomeKnown(pins);
  }
  const stats = options.measure ? measurePrograms() : undefined;
  const violations = new BpfRing(object.map("violations"));
  const everything = new BpfRing(object.map("everything"));
  const dropped = object.map("dropped");
  const regions = object.map("regions");
  const hookRuns = object.map("hook_runs");
  return {
    capabilities: capabilitiesOf(options, { tier, hooks, loaded }),
    marks: taskMarks(object.map("protections")),
    keepRegions: (inodes, registration) => keepRegions(regions, inodes, registration),
    tokenFiles: tokenFilesOf(object),
    state: agentState(object.map("agent")),
    allowRuntimes: runtimesWriter(object.map("runtimes"), runtimes),
    allowPolicies: policiesWriter(policyMaps(object)),
    violations,
    everything,
    drops: () => readDrops(dropped),
    // Tracing has no such switch.
    isCalled: () => tier === "tracing" || isCalled(hookRuns, tier),
    runs: () => new Map(loaded.attached.map((name) => [name, object.runsOf(name)])),
    [Symbol.dispose]: () => {
      if (stats !== undefined) closeDescriptor(stats);
      for (const ring of [violations, everything]) ring.close();
      object.close();
    },
  };
}

function tokenFilesOf(object: BpfObject): TokenFileWriter {
  return new TokenFileWriter({
    volumes: object.map("token_volumes"),
    names: object.map("token_names"),
    readers: object.map("token_readers"),
    inodes: object.map("token_inodes"),
    kubelets: object.map("kubelets"),
  });
}

function policyMaps(object: BpfObject): PolicyMaps {
  return {
    policies: object.map("policies"),
    inForce: object.map("policies_in_force"),
    executables: object.map("policy_executables"),
    cgroups: object.map("policy_cgroups"),
    users: object.map("policy_users"),
    groups: object.map("policy_groups"),
  };
}

/** Else every program would seem to be refused. */
function checkPinnedMaps(object: Uint8Array, { folder, maps }: KernelPins): void {
  try {
    BpfObject.load(object, { programs: [], mapPins: maps }).close();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const found = `${error.message}${explained(error.code)}`;
    const text = `use the maps that an agent before has pinned in ${folder}: ${found}`;
    throw new AgentError("PINS_UNUSABLE", text, error);
  }
}

/** Exempts the agent, which looks into processes to name them, and protects it. */
function becomeAgent(object: BpfObject): void {
  const pidfd = openProcess(process.pid);
  try {
    taskMarks(object.map("protections")).exempt(pidfd);
  } finally {
    closeDescriptor(pidfd);
  }
}

interface Loaded {
  readonly tier: EventMechanism;
  readonly hooks: Hooks;
  readonly loaded: LoadedTier;
}

function capabilitiesOf(
  { policy, dryRun, pins, surroundings }: MonitorOptions,
  {
    tier,
    hooks: { lsm, fmodRet, override },
    loaded: { attached, refused, watchesTargets },
  }: Loaded,
): Capabilities {
  const { kernel } = surroundings;
  const confidential = surroundings.lockdown === "confidentiality";
  const used = { state: "used" } as const;
  const stateOf = (mechanism: EventMechanism, state: HookState | undefined): MechanismState => {
    if (tier === mechanism) return used;
    return state ? unusedState(state) : { state: "unused", reason: "it is not asked for" };
  };
  const programs = monitorPrograms.filter(({ name }) => attached.includes(name));
  const shown = policy.stopped === 0n || dryRun ? withoutGuards(programs) : programs;
  const seen = kindsOf(shown, watchesTargets);
  const knowsInodes = !confidential || isAtLeast(kernel, 6, 2);
  return {
    tier,
    mechanisms: {
      lsm: stateOf("lsm", lsm),
      fmod_ret: stateOf("fmod_ret", fmodRet),
      override: stateOf("override", override),
      tracing: tier === "tracing" ? used : { state: "unused", reason: "hooks see more" },
    },
    ...seen,
    ...stopsOf({
      ...{
        tier,
        policy: dryRun ? nothingStopped : policy,
        seen: seen.kinds,
        knowsInodes,
        readsKernel: !confidential,
      },
      seesMemory: attached.includes("watch_memory"),
      killsSharers: isAtLeast(kernel, 6, 13),
    }),
    isPinned: pins !== undefined,
    refused: refused.map((refusal) => ({
      program: refusal.program,
      reason: refusalReason(refusal),
    })),
  };
}

const nothingStopped: StopPolicy = { stopped: 0n, killed: 0n };

/** An agent that only looks guards nothing. */
function withoutGuards(programs: readonly MonitorProgram[]): readonly MonitorProgram[] {
  return programs.map((program) => ({
    ...program,
    kinds: program.kinds.filter((kind) => !kind.startsWith("agent_")),
  }));
}

function blind({ reason, hint }: BlindnessCause): Blindness {
  const refused = { state: "refused", reason } as const;
  const mechanisms = { lsm: refused, fmod_ret: refused, override: refused, tracing: refused };
  const policy = nothingStopped;
  const nothing = {
    ...{ knowsInodes: false, readsKernel: false, seesMemory: false, killsSharers: false },
  };
  const facts = { tier: "none", policy, seen: {}, ...nothing } as const;
  return {
    ...{ reason, hint },
    capabilities: {
      ...{ tier: "none", mechanisms, ...kindsOf([]), ...stopsOf(facts) },
      ...{ isPinned: false, refused: [] },
    },
  };
}
