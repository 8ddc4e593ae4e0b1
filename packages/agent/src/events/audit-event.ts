/** What reached for a process, or for the kernel. Pids and uids are those of the initial namespaces. */
export interface EventActor {
  readonly pid: number;
  readonly tid: number;
  readonly parentPid: number;
  readonly uid: number;
  /** Start of the process in nanoseconds since boot: with the pid it names one process for ever. */
  readonly startNs: bigint;
  readonly cgroup: bigint;
  /** The file that it runs; a thread of the kernel runs none. */
  readonly executable?: { readonly inode: bigint; readonly device: number };
  /** As the process calls itself, which proves nothing. */
  readonly name: string;
}

/** The process that was reached for. */
export interface EventTarget {
  /** What the agent registered it by; none where everything is logged and it is not protected. */
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

/** What saw it. */
export type EventMechanism = "lsm" | "fmod_ret" | "tracing";

/** What the kernel did about it. */
export type EventDecision = "observed";

/** What every event says. */
export interface EventFacts {
  /** Nanoseconds since boot, suspended time included. */
  readonly bootNs: bigint;
  /** Of its ring, from 0. A number that never comes was dropped. */
  readonly sequence: bigint;
  readonly mechanism: EventMechanism;
  readonly decision: EventDecision;
  /** None where the hook stands behind many system calls. */
  readonly systemCall?: EventSystemCall;
  readonly actor: EventActor;
}

/** ptrace(2): one process becomes the tracer of another. */
export interface PtraceEvent extends EventFacts {
  readonly kind: "ptrace";
  readonly request: "attach" | "seize";
  readonly target: EventTarget;
}

/** Whatever asks for the kernel's ptrace check: the others, and /proc/PID/mem, environ, maps, fd … */
export interface TaskAccessEvent extends EventFacts {
  readonly kind: "task_access";
  /** `attach` is the right to its memory, `read` that to what is known about it. */
  readonly access: "read" | "attach";
  readonly target: EventTarget;
}

/** A system call that reaches for a process. */
export interface ProcessCallEvent extends EventFacts {
  readonly kind:
    | "process_vm_readv"
    | "process_vm_writev"
    | "pidfd_getfd"
    | "kcmp"
    | "process_madvise"
    | "perf_event_open";
  readonly target: EventTarget;
}

/** Something that changes what the kernel runs. */
export interface NodeEvent extends EventFacts {
  readonly kind: "bpf_program_load" | "module_load" | "kexec";
}

/** One event of the kernel. It never holds an argument's content. */
export type AuditEvent = PtraceEvent | TaskAccessEvent | ProcessCallEvent | NodeEvent;
