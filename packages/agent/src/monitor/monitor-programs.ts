import type { AuditEvent, EventMechanism } from "../events/audit-event.ts";

/** A program of bpf/secret_monitor.bpf.c. */
export interface MonitorProgram {
  /** Of its function in the object. */
  readonly name: string;
  readonly mechanism: EventMechanism;
  /** Where the kernel calls it: a hook of LSM, or a tracepoint. */
  readonly hook: string;
  /** What it can report; none where it carries protection to new tasks. */
  readonly kinds: readonly AuditEvent["kind"][];
}

/**
 * Hooks, each of which is two programs: `<hook>_lsm`, and `<hook>_fmod_ret` on the function `security_<hook>`. Only
 * programs of one mechanism are to be attached, or an attempt is two events; `inherit_on_fork`
 * and `settle_on_exec` go with each.
 */
const hooks = {
  bprm_creds_for_exec: [],
  ptrace_access_check: [
    "task_access",
    "process_file",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "kcmp",
    "process_madvise",
    "move_pages",
    "migrate_pages",
    "get_robust_list",
    "setns",
  ],
  ptrace_traceme: ["ptrace_traceme"],
  file_open: ["process_file", "kernel_file", "secret_descriptor"],
  file_permission: ["process_file"],
  file_receive: ["secret_descriptor"],
  perf_event_alloc: ["perf_event_open"],
  task_kill: ["core_signal"],
  file_send_sigiotask: ["core_signal"],
  task_setrlimit: ["core_limit"],
  bpf: ["bpf_program_load"],
  kernel_load_data: ["module_load", "kexec"],
  kernel_read_file: ["module_load", "kexec"],
  locked_down: ["kernel_memory", "kernel_probe", "hibernation"],
} as const satisfies Readonly<Record<string, readonly AuditEvent["kind"][]>>;

/** Where none of the two mechanisms of hooks is there. */
const tracing: readonly Omit<MonitorProgram, "mechanism">[] = [
  { name: "inherit_on_fork", hook: "sched_process_fork", kinds: [] },
  { name: "settle_on_exec", hook: "sched_process_exec", kinds: [] },
  {
    name: "watch_syscalls",
    hook: "sys_enter",
    kinds: [
      "ptrace",
      "ptrace_traceme",
      "process_vm_readv",
      "process_vm_writev",
      "pidfd_getfd",
      "kcmp",
      "process_madvise",
      "perf_event_open",
      "move_pages",
      "migrate_pages",
      "get_robust_list",
      "setns",
      "core_limit",
      "bpf_program_load",
      "module_load",
      "kexec",
    ],
  },
  {
    name: "watch_opened_files",
    hook: "sys_exit",
    kinds: ["process_file", "kernel_file", "kernel_memory", "secret_descriptor"],
  },
  {
    name: "watch_ring_requests",
    hook: "io_uring_complete",
    kinds: ["process_file", "kernel_file", "kernel_memory", "secret_descriptor"],
  },
  { name: "watch_signals", hook: "signal_generate", kinds: ["core_signal"] },
];

/** Every program of the object, by what it is attached to. */
export const monitorPrograms: readonly MonitorProgram[] = [
  ...tracing.map((program) => ({ ...program, mechanism: "tracing" as const })),
  ...(["lsm", "fmod_ret"] as const).flatMap((mechanism) =>
    Object.entries(hooks).map(([hook, kinds]) => ({
      name: `${hook}_${mechanism}`,
      mechanism,
      hook,
      kinds,
    })),
  ),
];
