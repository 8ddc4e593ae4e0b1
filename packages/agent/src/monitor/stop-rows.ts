import type { AuditEvent, EventMechanism } from "../events/audit-event.ts";
import { kinds } from "../events/event-layout.ts";
import { type LeakWindow, leakWindows } from "./leak-windows.ts";
import { isIn, type StopPolicy } from "./stop-policy.ts";

/** The strongest reaction to an attempt. */
export type Enforcement = "refuse" | "kill" | "none";

/**
 * `detected`: the agent kills the actor, and the attempt has its effect all the same. `not covered`:
 * nothing sees it on this kernel.
 */
export type StopOutcome = "blocked" | "killed" | "detected" | "seen" | "not covered";

/**
 * A row of the catalogue: a kind of attempt, or a part of one that is another matter on some
 * kernels.
 */
export type StopRow = AuditEvent["kind"] | StopDetail;

/**
 * `process_layout_file`: files of /proc/PID that tell addresses, such as `maps`; the agent kills no
 * process for these. `process_environment`: `environ`, which may have values in it. `ps aux` reads
 * it, and must not be killed for it. `process_control_file`: files that decide the content of a
 * core dump. `process_file_held`: a descriptor of `mem` or `environ` that was open before.
 * `process_file_by_ring`: files that io_uring opens and reads. `process_mapped_file`: mapped files,
 * by /proc/PID/map_files. `perf_event_inherited`: samplers of a process that starts a program.
 * `bpf_network_program`: programs of networks that read memory. `agent_pins`: the pins that keep
 * programs in the kernel. `core_signal_by_file`: a file that changes has the kernel send it.
 */
type StopDetail =
  | "process_layout_file"
  | "process_environment"
  | "process_control_file"
  | "process_file_held"
  | "process_file_by_ring"
  | "process_mapped_file"
  | "perf_event_inherited"
  | "bpf_network_program"
  | "agent_pins"
  | "core_signal_by_file";

/** The facts about a kernel that decide the outcome of attempts. */
export interface StopFacts {
  readonly tier: EventMechanism | "none";
  readonly policy: StopPolicy;
  /** Kinds that something reports. */
  readonly seen: Readonly<Partial<Record<AuditEvent["kind"], string>>>;
  /** Hooks know whose a file of /proc is: not before Linux 6.2 under lockdown=confidentiality. */
  readonly knowsInodes: boolean;
  /** Programs may read the kernel's memory: not under lockdown=confidentiality. */
  readonly readsKernel: boolean;
  /**
   * `watch_memory` sees each process that locks the memory of another to read it. Hooks do not need
   * that.
   */
  readonly seesMemory: boolean;
  /** A kill ends other processes with the actor's descriptors, too: from Linux 6.13 on. */
  readonly killsSharers: boolean;
}

/** The kernel carries them out although the caller has been sent SIGKILL. */
export const carriedOut: readonly AuditEvent["kind"][] = ["core_signal", "core_limit"];

/** They give a descriptor whose use is not looked at: a process that shares it goes on with it. */
const shared: readonly AuditEvent["kind"][] = [
  ...(["perf_event_open", "cpu_sampling", "kernel_probe", "agent_tampering"] as const),
];

/** The outcome of attempts on a kernel. */
export interface Stops {
  /** The strongest thing that the kernel has, and that the settings ask for. */
  readonly enforcement: Enforcement;
  /** The outcome for each row of the catalogue. */
  readonly rows: Readonly<Record<StopRow, StopOutcome>>;
  /** The leak windows of the rows that are only killed. */
  readonly leakWindows: Readonly<Record<string, LeakWindow>>;
}

/** Which rows are blocked, which only killed, which only seen. */
export function stopsOf(facts: StopFacts): Stops {
  const outcomes = kinds.map((kind) => [kind, outcomeOf(kind, facts)] as const);
  // Each kind is there, and each detail.
  const ofKinds = Object.fromEntries(outcomes) as Readonly<Record<AuditEvent["kind"], StopOutcome>>;
  const rows = { ...ofKinds, ...detailsOf(facts, ofKinds) };
  return { enforcement: enforcementOf(facts), rows, leakWindows: leakWindows(rows) };
}

function detailsOf(
  { tier, policy, knowsInodes, readsKernel, ...facts }: StopFacts,
  kinds: Readonly<Record<AuditEvent["kind"], StopOutcome>>,
): Readonly<Record<StopDetail, StopOutcome>> {
  const found = kinds.process_file;
  const programs = kinds.bpf_program_load;
  const isHook = tier === "lsm" || tier === "fmod_ret";
  const byInode = isHook && !knowsInodes ? "not covered" : found;
  const isStopping = policy.stopped !== 0n;
  // Without either the use of a descriptor is watched only to stop it.
  const seesReads = isHook || facts.seesMemory;
  const held = seesReads || isStopping ? byInode : "not covered";
  return {
    process_layout_file: unlessKilled(found),
    process_environment: unlessKilled(found),
    process_control_file: byInode,
    process_file_held: held,
    // A ring that answers nothing hides it from everything else.
    process_file_by_ring: seesReads ? readByRing(tier, policy, found) : "not covered",
    // Every link that is followed would be looked at, by an agent that only looks.
    process_mapped_file: isHook && isStopping ? byInode : "not covered",
    perf_event_inherited: isHook ? kinds.perf_event_open : "not covered",
    // The hook is shown the kernel's copy of the request, which it may not read there.
    bpf_network_program: isHook && !readsKernel && programs !== "not covered" ? "seen" : programs,
    agent_pins: isHook ? kinds.agent_tampering : "not covered",
    // No system call of the sender leads to it.
    core_signal_by_file: isHook ? kinds.core_signal : inVain(kinds.core_signal, policy),
  };
}

/** The outcome of a file whose reader is not killed. */
function unlessKilled(found: StopOutcome): StopOutcome {
  return found === "killed" ? "seen" : found;
}

/** The outcome of an attempt that is seen when it has its effect. */
function inVain(found: StopOutcome, { killed }: StopPolicy): StopOutcome {
  if (found === "seen" || found === "not covered") return found;
  return isIn(killed, "core_signal") ? "detected" : "seen";
}

/** A mechanism that refuses system calls does not see the reads of a ring. */
function readByRing(tier: StopFacts["tier"], policy: StopPolicy, found: StopOutcome): StopOutcome {
  return tier === "override" ? killedOr("seen", policy) : found;
}

function killedOr(other: StopOutcome, { killed }: StopPolicy): StopOutcome {
  return isIn(killed, "process_file") ? "killed" : other;
}

function enforcementOf({ tier, policy }: StopFacts): Enforcement {
  if (tier === "none" || policy.stopped === 0n) return "none";
  if (tier !== "tracing") return "refuse";
  return policy.killed === 0n ? "none" : "kill";
}

function outcomeOf(kind: AuditEvent["kind"], facts: StopFacts): StopOutcome {
  const { tier, policy, seen, killsSharers } = facts;
  if (seen[kind] === undefined) return "not covered";
  if (!isIn(policy.stopped, kind)) return "seen";
  // The variables that a program begins with can be read too late for a refusal. The program is
  // killed before it runs.
  if (tier !== "tracing" && kind !== "loader") return "blocked";
  if (!isIn(policy.killed, kind)) return "seen";
  return carriedOut.includes(kind) || (!killsSharers && shared.includes(kind))
    ? "detected"
    : "killed";
}
