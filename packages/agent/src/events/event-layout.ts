/** `SVC_EVENT_VERSION` of bpf/event.h. */
export const EVENT_VERSION = 2;

/**
 * The bytes of `struct svc_event` by version, from 1. An agent that starts finds events of the
 * agent before it in the pinned ring. Later versions only add fields behind the others.
 */
export const eventBytes = [128, 176] as const;

/**
 * The places of the fields of `struct svc_event`; e2e/agent compares them with a C compiler's
 * result.
 */
export const eventOffsets = {
  version: 0,
  size: 2,
  kind: 4,
  mechanism: 5,
  decision: 6,
  abi: 7,
  boot_ns: 8,
  sequence: 16,
  registration: 24,
  syscall: 32,
  detail: 36,
  actor_pid: 40,
  actor_tid: 44,
  actor_ppid: 48,
  actor_uid: 52,
  actor_start_ns: 56,
  actor_cgroup: 64,
  actor_exe_inode: 72,
  actor_exe_device: 80,
  target_tid: 84,
  target_pid: 88,
  policy: 92,
  target_start_ns: 96,
  target_cgroup: 104,
  actor_comm: 112,
  actor_exe_name: 128,
} as const;

/** Bytes of a process's name; `SVC_COMM_BYTES`. */
export const NAME_BYTES = 16;

/** Bytes of the name of an executable; `SVC_EXE_NAME_BYTES`. */
export const EXECUTABLE_NAME_BYTES = 48;

/** `enum svc_kind`, from 1. */
export const kinds = [
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "pidfd_getfd",
  "kcmp",
  "process_madvise",
  "perf_event_open",
  "task_access",
  "bpf_program_load",
  "module_load",
  "kexec",
  "ptrace_traceme",
  "move_pages",
  "migrate_pages",
  "get_robust_list",
  "setns",
  "process_file",
  "core_signal",
  "core_limit",
  "secret_descriptor",
  "kernel_file",
  "kernel_memory",
  "kernel_probe",
  "hibernation",
  "cpu_sampling",
  "agent_tampering",
  "agent_adoption",
  "loader",
  "swap_space",
  "token_file",
] as const;

/** `SVC_KINDS_MAX` of bpf/event.h: the room for kinds in counters. */
export const KINDS_MAX = 64;

/** `enum svc_process_file`, from 1: files of /proc/PID by their names. */
export const processFiles = [
  "mem",
  "environ",
  "maps",
  "smaps",
  "numa_maps",
  "pagemap",
  "auxv",
  "stack",
  "syscall",
  "personality",
  "coredump_filter",
  "clear_refs",
  "oom_score_adj",
  "map_files",
] as const;

/**
 * `enum svc_kernel_file`, from 1: files of sysctl, tracefs and debugfs by their names, and those of
 * program-settings.ts.
 */
export const kernelFiles = [
  "core_pattern",
  "core_pipe_limit",
  "suid_dumpable",
  "ptrace_scope",
  "kptr_restrict",
  "perf_event_paranoid",
  "unprivileged_bpf_disabled",
  "modprobe",
  "sysrq-trigger",
  "uprobe_events",
  "kprobe_events",
  "dynamic_events",
  "ftrace_enabled",
  "kprobes/enabled",
  "kprobes-optimization",
  "hotplug",
  "poweroff_cmd",
  "usermodehelper",
  "module_program",
  "uevent_helper",
  "release_agent",
  "binfmt_misc",
  "ld.so.preload",
] as const;

/** `enum svc_kernel_memory`, from 1. */
export const kernelMemories = ["dev_mem", "kcore", "ioport", "msr", "pci"] as const;

/** `enum svc_tampering`, from 1. */
export const tamperings = ["signal", "limit", "map", "pin", "mount"] as const;

/** `enum svc_loader`, from 0. */
export const loaderWays = ["variables", "interpreter"] as const;

/** A bit of a process file's detail: the file was opened for writing. */
export const FILE_WRITTEN = 0x100;

/** `enum svc_mechanism`, from 1. */
export const mechanisms = ["lsm", "fmod_ret", "tracing", "override"] as const;

/** `enum svc_decision`, from 1. */
export const decisions = [
  "observed",
  "blocked",
  "killed",
  "failed",
  "allowed",
  "would_block",
  "would_kill",
] as const;

/** `enum svc_abi`, from 0. */
export const abis = ["native", "compat", "x32"] as const;
