import type {
  kernelFiles,
  kernelMemories,
  loaderWays,
  processFiles,
  tamperings,
} from "./event-layout.ts";

/**
 * The process that reached for another, or for the kernel. Pids and uids are those of the initial
 * namespaces.
 */
export interface EventActor {
  readonly pid: number;
  readonly tid: number;
  readonly parentPid: number;
  readonly uid: number;
  /** Start of the process in nanoseconds since boot: with the pid it names one process for ever. */
  readonly startNs: bigint;
  readonly cgroup: bigint;
  /** The file that it runs; a thread of the kernel runs none. */
  readonly executable?: EventExecutable;
  /** As the process calls itself, which proves nothing. */
  readonly name: string;
}

/** A file that a process runs. */
export interface EventExecutable {
  readonly inode: bigint;
  readonly device: number;
  /** Without folders, 47 bytes at most; absent if the kernel may not be read. */
  readonly name?: string;
}

/** The process that was reached for. */
export interface EventTarget {
  /** The registration of the process; none if everything is logged and it is not protected. */
  readonly registration?: bigint;
  readonly pid: number;
  readonly tid: number;
  readonly startNs: bigint;
  readonly cgroup: bigint;
}

/** A system call, by the numbers of one of the processor's conventions. */
export interface EventSystemCall {
  readonly number: number;
  readonly abi: EventAbi;
}

/** `compat`: the calls of 32-bit programs. */
export type EventAbi = "native" | "compat" | "x32";

/** The mechanism that reported it. */
export type EventMechanism = "lsm" | "fmod_ret" | "override" | "tracing";

/**
 * The kernel's reaction. `blocked`: the call was refused. `killed`: the actor received SIGKILL, and
 * may have succeeded before; `failed`: SIGKILL could not be sent. `allowed`: a policy lets it
 * through.
 * `would_block`, `would_kill`: a dry
 * run let it through.
 */
export type EventDecision =
  | "observed"
  | "blocked"
  | "killed"
  | "failed"
  | "allowed"
  | "would_block"
  | "would_kill";

/** The fields of every event. */
export interface EventFacts {
  /** Nanoseconds since boot, suspended time included. */
  readonly bootNs: bigint;
  /** The number in its ring, from 0. A number that never comes was dropped. */
  readonly sequence: bigint;
  readonly mechanism: EventMechanism;
  readonly decision: EventDecision;
  /** Number of the policy that let it through; none if no policy did. */
  readonly policy?: number;
  /** None if the hook stands behind many system calls. */
  readonly systemCall?: EventSystemCall;
  readonly actor: EventActor;
}

/** ptrace(2): one process becomes the tracer of another. */
export interface PtraceEvent extends EventFacts {
  readonly kind: "ptrace";
  readonly request: "attach" | "seize";
  readonly target: EventTarget;
}

/**
 * A process that causes the kernel's ptrace check by another call than those below; if no hook
 * knows the file, /proc/PID as well.
 */
export interface TaskAccessEvent extends EventFacts {
  readonly kind: "task_access";
  /** `attach` is the right to its memory, `read` that to its data in the kernel. */
  readonly access: "read" | "attach";
  readonly target: EventTarget;
}

/**
 * A system call that reaches for a process. The actor of `ptrace_traceme` is the target: its parent
 * becomes its tracer.
 */
export interface ProcessCallEvent extends EventFacts {
  readonly kind:
    | "process_vm_readv"
    | "process_vm_writev"
    | "pidfd_getfd"
    | "kcmp"
    | "process_madvise"
    | "perf_event_open"
    | "ptrace_traceme"
    | "move_pages"
    | "migrate_pages"
    | "get_robust_list"
    | "setns"
    | "core_limit";
  readonly target: EventTarget;
}

/** A process of a registered program begins with other code than the program's. */
export interface LoaderEvent extends EventFacts {
  readonly kind: "loader";
  /** `variables`: LD_PRELOAD or LD_AUDIT; `interpreter`: the kernel starts another file. */
  readonly by: (typeof loaderWays)[number];
  readonly target: EventTarget;
}

/**
 * A file of /proc/PID was opened, or a descriptor that was open before the registration was used.
 */
export interface ProcessFileEvent extends EventFacts {
  readonly kind: "process_file";
  readonly file: ProcessFile;
  /** `write` if it was opened to be written, too. */
  readonly access: "read" | "write";
  readonly target: EventTarget;
}

/** A file of /proc/PID that shows the process's memory, or controls its dumps. */
export type ProcessFile = (typeof processFiles)[number];

/** A signal from outside that ends a process with a core dump. */
export interface CoreSignalEvent extends EventFacts {
  readonly kind: "core_signal";
  readonly signal: number;
  readonly target: EventTarget;
}

/** A setting of the kernel was opened to be written. */
export interface KernelFileEvent extends EventFacts {
  readonly kind: "kernel_file";
  readonly file: (typeof kernelFiles)[number];
}

/** Memory of the kernel, or of any process, was opened. */
export interface KernelMemoryEvent extends EventFacts {
  readonly kind: "kernel_memory";
  readonly memory: (typeof kernelMemories)[number];
}

/**
 * A process that is not registered has a descriptor of secret memory, was given one, or maps one.
 */
export interface SecretDescriptorEvent extends EventFacts {
  readonly kind: "secret_descriptor";
  /** The registration of the program whose memory it is; none if that is not known. */
  readonly registration?: bigint;
}

/** The file of the token that a wrapper logs in with was opened by another process. */
export interface TokenFileEvent extends EventFacts {
  readonly kind: "token_file";
  /** The wrapper's. */
  readonly registration?: bigint;
}

/** A process reached for the agent, or for its BPF programs, while the agent enforces. */
export interface AgentTamperingEvent extends EventFacts {
  readonly kind: "agent_tampering";
  /**
   * `map`: a map of its programs; `pin`: a file below /sys/fs/bpf/svc; `mount`: the file system
   * that these are in.
   */
  readonly what: (typeof tamperings)[number];
}

/** A change of the kernel's code, or a read of any program's memory. */
export interface NodeEvent extends EventFacts {
  readonly kind:
    | "bpf_program_load"
    | "module_load"
    | "kexec"
    | "kernel_probe"
    | "hibernation"
    | "cpu_sampling"
    | "agent_adoption"
    | "swap_space";
}

/** One event of the kernel. It never holds an argument's content. */
export type AuditEvent =
  | PtraceEvent
  | TaskAccessEvent
  | ProcessCallEvent
  | ProcessFileEvent
  | CoreSignalEvent
  | KernelFileEvent
  | KernelMemoryEvent
  | LoaderEvent
  | SecretDescriptorEvent
  | TokenFileEvent
  | AgentTamperingEvent
  | NodeEvent;
