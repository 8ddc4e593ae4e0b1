import type { AuditEvent } from "../events/audit-event.ts";
import { kinds } from "../events/event-layout.ts";

/** The treatment of kinds of attempts, as bits `1 << enum svc_kind` of bpf/event.h. */
export interface StopPolicy {
  /** Those that are to be stopped. */
  readonly stopped: bigint;
  /** The stopped kinds for which the actor may be killed if the kernel cannot refuse. */
  readonly killed: bigint;
}

/** The settings that decide it. */
export interface StopSettings {
  /** ENFORCE_MODE */
  readonly enforce: boolean;
  /** ENFORCE_NODE */
  readonly enforceNode: boolean;
  /** REACTIVE_KILL */
  readonly reactiveKill: boolean;
}

type Kind = AuditEvent["kind"];

/** Attempts on the kernel, which give access to the memory of every program. */
const ofTheNode: readonly Kind[] = [
  "bpf_program_load",
  "module_load",
  "kexec",
  "kernel_probe",
  "kernel_memory",
  "kernel_file",
  "hibernation",
  "cpu_sampling",
];

/**
 * An agent has to be able to begin. Machines are given swap space for good reasons, and the agent
 * keeps programs out of it: decision 0059. A program may need the token of its pod as well: 0091.
 */
const neverStopped: readonly Kind[] = ["agent_adoption", "swap_space", "token_file"];

/**
 * They read no byte of a program, and harmless programs use them (numad, nsenter, sandboxes). They
 * are refused, which these programs survive, but not answered with a kill.
 */
const neverKilled: readonly Kind[] = [
  "kcmp",
  "process_madvise",
  "move_pages",
  "migrate_pages",
  "get_robust_list",
  "setns",
  "ptrace_traceme",
];

/**
 * The kinds to stop, and how. Without ENFORCE_MODE the agent stops nothing. REACTIVE_KILL alone
 * kills no process.
 */
export function stopPolicy({ enforce, enforceNode, reactiveKill }: StopSettings): StopPolicy {
  const stopped = kinds.filter(
    (kind) => enforce && !neverStopped.includes(kind) && (enforceNode || !ofTheNode.includes(kind)),
  );
  const killed = stopped.filter((kind) => reactiveKill && !neverKilled.includes(kind));
  return { stopped: bitsOf(stopped), killed: bitsOf(killed) };
}

/** Whether a kind is in bits of a policy. */
export function isIn(bits: bigint, kind: Kind): boolean {
  return (bits & bitOf(kind)) !== 0n;
}

function bitsOf(some: readonly Kind[]): bigint {
  return some.reduce((bits, kind) => bits | bitOf(kind), 0n);
}

/** The number of a kind is its place among them, from 1. */
function bitOf(kind: Kind): bigint {
  return 1n << BigInt(kinds.indexOf(kind) + 1);
}
