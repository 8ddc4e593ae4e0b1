import type { AuditEvent } from "../events/audit-event.ts";

/**
 * The effect of a policy on an attempt that fits. Both let it through. After a dry run the event
 * has the decision that enforcement would have taken.
 */
export type PolicyMode = "allow" | "dry-run";

/** A file that a policy names. */
export interface PolicyExecutable {
  /** Absolute, on the machine. */
  readonly path: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Pods of a cluster, which run on this machine. */
export interface PodSelector {
  readonly namespace: string;
  /** All of them have to be the pod's; without any it is every pod of the namespace. */
  readonly matchLabels: Readonly<Record<string, string>>;
}

/**
 * A permission to do refused things. An actor fits if it fits every list that is not empty, each
 * by one of its entries; users and groups are one list.
 */
export interface Policy {
  readonly name: string;
  /** The reason for the policy, for people. */
  readonly reason: string;
  readonly mode: PolicyMode;
  /** In milliseconds since 1970; it has no end if there is none. */
  readonly expiresMs?: number;
  readonly attempts: readonly AttemptKind[];
  readonly executables: readonly PolicyExecutable[];
  /** Names of services of systemd. */
  readonly units: readonly string[];
  /** With them there are neither executables nor units: those are of the machine. */
  readonly pods: readonly PodSelector[];
  /** Numbers, as the machine has them. */
  readonly users: readonly number[];
  readonly groups: readonly number[];
}

/** Kinds of attempts that a policy may allow. */
export type AttemptKind = Exclude<
  AuditEvent["kind"],
  "agent_tampering" | "agent_adoption" | "loader" | "ptrace_traceme" | "swap_space"
>;

/** Those that a policy allows which names none: attempts on registered programs. */
export const attemptsOnPrograms = [
  ...["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"],
  ...["process_madvise", "perf_event_open", "task_access", "move_pages", "migrate_pages"],
  ...["get_robust_list", "setns", "process_file", "core_signal", "core_limit"],
] as readonly AttemptKind[];

/** Those that a policy has to name: they open the kernel, or the secret memory of a program. */
export const attemptsOnKernel = [
  ...["secret_descriptor", "bpf_program_load", "module_load", "kexec", "kernel_file"],
  ...["kernel_memory", "kernel_probe", "hibernation", "cpu_sampling", "token_file"],
] as readonly AttemptKind[];

/**
 * How many policies there may be: half of the bits, so that a new set has none of the one before.
 */
export const MOST_POLICIES = 32;
