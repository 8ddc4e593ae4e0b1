import type { AuditEvent } from "../events/audit-event.ts";
import { kinds } from "../events/event-layout.ts";

/** What is done about kinds of attempts: bits `1 << enum svc_kind` of bpf/event.h. */
export interface StopPolicy {
  /** Those that are to be stopped. */
  readonly stopped: bigint;
  /** Those of them for which whoever attempts may be killed, where nothing refuses. */
  readonly killed: bigint;
}

/** What the settings say of it. */
export interface StopSettings {
  /** ENFORCE_MODE */
  readonly enforce: boolean;
  /** ENFORCE_NODE */
  readonly enforceNode: boolean;
  /** REACTIVE_KILL */
  readonly reactiveKill: boolean;
}

type Kind = AuditEvent["kind"];

/** What opens the kernel, of which every program's memory is a part. */
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
 * An agent has to be able to begin. Machines are given swap space for good reasons, and the agent keeps programs out of
 * it: decision 0059.
 */
const neverStopped: readonly Kind[] = ["agent_adoption", "swap_space"];

/**
 * They bring no byte of it, and are used by programs that mean no harm (numad, nsenter, sandboxes): refused, which these
 * survive, but nobody is killed for them.
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

/** What is stopped, and how. Without ENFORCE_MODE nothing is, and REACTIVE_KILL alone kills nobody. */
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
