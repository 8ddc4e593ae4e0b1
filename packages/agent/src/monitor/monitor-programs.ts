import type { AuditEvent, EventMechanism } from "../events/audit-event.ts";

/** A program of bpf/secret_monitor.bpf.c. */
export interface MonitorProgram {
  /** The name of its function in the object. */
  readonly name: string;
  readonly mechanism: EventMechanism;
  /** The place in which the kernel calls it: a hook of LSM, or a tracepoint. */
  readonly hook: string;
  /** The kinds that it can report; empty for one that carries protection to new tasks. */
  readonly kinds: readonly AuditEvent["kind"][];
  /**
   * Those of them that it reports only if the kernel gives it a task for a pid, which begins
   * with Linux 6.2.
   */
  readonly targetKinds?: readonly AuditEvent["kind"][];
  /** It is attached beside hooks, too. */
  readonly goesWithAll?: true;
  /** It is for an agent that stops attempts; one that only looks does not need it. */
  readonly isGuard?: true;
  /**
   * The first Linux that has its hook, if svc supports earlier ones. Without the hook no kind is
   * lost as a whole.
   */
  readonly since?: readonly [major: number, minor: number];
}

/**
 * Hooks, each of which is two programs: `<hook>_lsm`, and `<hook>_fmod_ret` on the function
 * `security_<hook>`. Only programs of one mechanism are to be attached, or an attempt is two
 * events; `inherit_on_fork` and `settle_on_exec` go with each.
 */
const hooks = {
  bprm_creds_for_exec: [],
  bprm_check_security: ["loader"],
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
  file_open: ["process_file", "kernel_file", "secret_descriptor", "swap_space", "token_file"],
  file_permission: ["process_file"],
  file_receive: ["secret_descriptor"],
  mmap_file: ["secret_descriptor"],
  perf_event_alloc: ["perf_event_open", "cpu_sampling", "kernel_probe"],
  task_kill: ["core_signal"],
  file_send_sigiotask: ["core_signal"],
  task_setrlimit: ["core_limit"],
  bpf: ["bpf_program_load"],
  kernel_load_data: ["module_load", "kexec"],
  kernel_read_file: ["module_load", "kexec"],
  locked_down: ["kernel_memory", "kernel_probe", "hibernation"],
} as const satisfies Readonly<Record<string, readonly AuditEvent["kind"][]>>;

/**
 * As `hooks`, for the agent's own process, maps and pins. They are attached last: a guard does not
 * close accesses that were opened before it.
 */
const guards = {
  bpf_prog_load: ["bpf_program_load"],
  inode_follow_link: ["process_file"],
  bpf_map: ["agent_tampering", "agent_adoption"],
  inode_unlink: ["agent_tampering"],
  inode_rmdir: ["agent_tampering"],
  inode_rename: ["agent_tampering"],
  sb_umount: ["agent_tampering"],
} as const satisfies Readonly<Record<string, readonly AuditEvent["kind"][]>>;

/**
 * What `watch_syscalls` reports of calls that name a process; all of perf_event_open(2) goes with
 * it.
 */
const targetKinds = [
  ...(["ptrace", "ptrace_traceme", "process_vm_readv", "process_vm_writev"] as const),
  ...(["pidfd_getfd", "kcmp", "process_madvise", "move_pages", "migrate_pages"] as const),
  ...(["get_robust_list", "setns", "core_limit"] as const),
  ...(["perf_event_open", "cpu_sampling", "kernel_probe"] as const),
] as const;

/** The kinds of files that are looked at by their descriptors. */
const openedFileKinds = [
  ...(["process_file", "kernel_file", "kernel_memory", "secret_descriptor"] as const),
  "token_file",
] as const;

/** The programs for a kernel without either mechanism of hooks. */
const tracing: readonly Omit<MonitorProgram, "mechanism">[] = [
  { name: "notice_agent_exit", hook: "sched_process_exit", kinds: [], isGuard: true },
  { name: "inherit_on_fork", hook: "sched_process_fork", kinds: [] },
  { name: "settle_on_exec", hook: "sched_process_exec", kinds: [] },
  { name: "begin_trust", hook: "task_rename", kinds: [] },
  { name: "confirm_trust", hook: "sched_process_exec", kinds: [] },
  { name: "watch_loader", hook: "sched_process_exec", kinds: ["loader"], goesWithAll: true },
  { name: "watch_interpreter", hook: "sched_process_exec", kinds: ["loader"] },
  {
    name: "watch_syscalls",
    hook: "sys_enter",
    kinds: [
      ...targetKinds,
      ...(["bpf_program_load", "module_load", "kexec", "swap_space"] as const),
      ...(["agent_tampering", "agent_adoption"] as const),
    ],
    targetKinds,
  },
  {
    name: "watch_opened_files",
    hook: "sys_exit",
    kinds: openedFileKinds,
  },
  {
    name: "watch_ring_requests",
    hook: "io_uring_complete",
    kinds: openedFileKinds,
  },
  { name: "watch_ring_files", hook: "io_uring_file_get", kinds: ["process_file"] },
  { name: "watch_ring_work", hook: "io_uring_queue_async_work", kinds: ["process_file"] },
  {
    ...{ name: "watch_ring_opens", hook: "io_uring_submit_req" },
    ...{ kinds: ["process_file"], since: [6, 5] },
  },
  {
    ...{ name: "forget_ring_openers", hook: "sched_process_exit" },
    ...{ kinds: ["process_file"], since: [6, 5] },
  },
  { name: "watch_memory", hook: "mmap_lock_start_locking", kinds: ["process_file"] },
  { name: "watch_signals", hook: "signal_generate", kinds: ["core_signal", "agent_tampering"] },
];

/**
 * Attached to the functions of many calls: refused-calls.ts. `watch_syscalls` reports the calls
 * that it refuses.
 */
export const REFUSING_PROGRAM = "refuse_call";

/** Every program of the object, by its hook. */
export const monitorPrograms: readonly MonitorProgram[] = [
  ...tracing.map((program) => ({ ...program, mechanism: "tracing" as const })),
  ...(["lsm", "fmod_ret"] as const).flatMap((mechanism) => [
    ...ofHooks(mechanism, hooks),
    ...ofHooks(mechanism, guards).map((program) => ({ ...program, isGuard: true as const })),
  ]),
  {
    ...{ name: REFUSING_PROGRAM, mechanism: "override", hook: "functions of system calls" },
    ...{ kinds: [], isGuard: true },
  },
];

function ofHooks(
  mechanism: "lsm" | "fmod_ret",
  table: Readonly<Record<string, MonitorProgram["kinds"]>>,
): readonly MonitorProgram[] {
  return Object.entries(table).map(([hook, kinds]) => ({
    ...{ name: `${hook}_${mechanism}`, mechanism, hook, kinds },
    ...(hook === "bpf_prog_load" && { since: [6, 9] as const }),
  }));
}
