/** A way to reach for a process, or for the kernel under it. */
export interface Attack {
  /** As `svc-attack` knows it. */
  readonly name: string;
  /** Its action, in a few words. */
  readonly does: string;
  /**
   * Its needs beyond the right to look at the process. Without them it fails, and changes nothing.
   */
  readonly needs?:
    | "root"
    | "io_uring"
    | "a kernel with modules"
    | "kexec"
    | "x32"
    | "tracefs"
    | "a victim that listens";
  /** The answer to the attacker does not say whether the victim lives. */
  readonly isIndirect?: true;
  /** Two threads race: a look from outside may miss it, and it may come too late. */
  readonly isRace?: true;
}

const onProcesses: readonly Attack[] = [
  { name: "proc-mem", does: "reads /proc/PID/mem" },
  {
    name: "proc-mem-relative",
    does: "the same from inside of /proc/PID, without a path that says so",
  },
  { name: "proc-mem-thread", does: "reads /proc/PID/task/TID/mem" },
  { name: "proc-mem-write", does: "opens /proc/PID/mem to write; writes nothing" },
  {
    name: "proc-mem-wide-number",
    does: "opens it by a number of a system call with more bits than count",
  },
  { name: "proc-mem-opened-before", does: "reads a /proc/PID/mem that was open before" },
  { name: "proc-mem-by-thread", does: "opens /proc/PID/mem; another of its threads reads" },
  {
    name: "proc-mem-by-sibling",
    does: "opens it; another process that shares its descriptors reads",
  },
  {
    name: "proc-mem-hidden",
    does: "opens it, and another thread puts another file in its place",
    isRace: true,
  },
  { name: "proc-mem-by-program", does: "starts a program inside of /proc/PID that reads `mem`" },
  { name: "proc-environ", does: "reads /proc/PID/environ" },
  { name: "proc-maps", does: "reads /proc/PID/maps" },
  { name: "proc-smaps", does: "reads /proc/PID/smaps" },
  { name: "proc-numa-maps", does: "reads /proc/PID/numa_maps" },
  { name: "proc-pagemap", does: "reads /proc/PID/pagemap" },
  { name: "proc-auxv", does: "reads /proc/PID/auxv" },
  { name: "proc-stack", does: "reads /proc/PID/stack", needs: "root" },
  { name: "proc-syscall", does: "reads /proc/PID/syscall" },
  { name: "proc-personality", does: "reads /proc/PID/personality" },
  { name: "proc-fd", does: "opens a descriptor of it again by /proc/PID/fd" },
  {
    name: "proc-map-files",
    does: "opens its mapped files by /proc/PID/map_files",
    needs: "root",
  },
  {
    name: "proc-map-files-common",
    does: "opens in this way a mapping that it shares with others, which no other name leads to",
    needs: "root",
  },
  {
    name: "proc-coredump-filter",
    does: "opens /proc/PID/coredump_filter to write; writes nothing",
  },
  { name: "proc-clear-refs", does: "opens /proc/PID/clear_refs to write; writes nothing" },
  { name: "proc-oom-score-adj", does: "opens /proc/PID/oom_score_adj to write; writes nothing" },
  { name: "ptrace-attach", does: "traces it, and releases it" },
  { name: "ptrace-seize", does: "traces it without stopping it" },
  { name: "ptrace-attach-by-int80", does: "traces it by a 32-bit system call" },
  { name: "process-vm-readv", does: "reads its memory by process_vm_readv" },
  { name: "process-vm-writev", does: "asks to write to address 0 of it" },
  { name: "process-vm-readv-by-x32", does: "the read by an x32 system call", needs: "x32" },
  { name: "pidfd-getfd", does: "takes a copy of its descriptor of secret memory" },
  { name: "pidfd-getfd-map", does: "takes a copy, and maps it" },
  {
    name: "pidfd-getfd-by-sibling",
    does: "takes a copy; another process that shares its descriptors maps it",
  },
  {
    name: "scm-rights",
    does: "is sent its descriptor of secret memory (SCM_RIGHTS)",
    needs: "a victim that listens",
  },
  { name: "scm-rights-map", does: "is sent it, and maps it", needs: "a victim that listens" },
  {
    name: "scm-rights-before-map",
    does: "maps a descriptor that it received before",
    needs: "a victim that listens",
  },
  {
    name: "child-ld-preload",
    does: "has it start a program with LD_PRELOAD",
    needs: "a victim that listens",
  },
  {
    name: "child-ld-audit",
    does: "has it start a program with LD_AUDIT",
    needs: "a victim that listens",
  },
  { name: "kcmp-first", does: "compares its descriptors with its own" },
  { name: "kcmp-second", does: "the same, the other way round" },
  { name: "process-madvise", does: "calls a page of it cold" },
  { name: "move-pages", does: "asks for the places of its pages" },
  { name: "migrate-pages", does: "asks to move its pages", needs: "root" },
  { name: "get-robust-list", does: "asks for the place of its list of locks" },
  { name: "setns-pidfd", does: "enters its UTS namespace by a pidfd", needs: "root" },
  { name: "perf-event-open", does: "samples it" },
  { name: "perf-all", does: "samples all running programs, with their stacks", needs: "root" },
  {
    name: "perf-cgroup",
    does: "samples each task of its control group, with its stack",
    needs: "root",
  },
  {
    name: "perf-children",
    does: "has sampled it since before, and the sampling extends to the programs that it starts",
    needs: "a victim that listens",
  },
  { name: "perf-uprobe", does: "has a place in the file that it runs counted", needs: "root" },
  { name: "io-uring-mem", does: "reads /proc/PID/mem by io_uring", needs: "io_uring" },
  {
    name: "io-uring-mem-slot",
    does: "has io_uring open and read it, without a descriptor",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-installed",
    does: "copies a descriptor that io_uring has opened in this way",
    needs: "io_uring",
  },
  { name: "io-uring-environ", does: "reads /proc/PID/environ by io_uring", needs: "io_uring" },
  {
    name: "io-uring-mem-quiet",
    does: "has io_uring open it without an answer; a system call reads it",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-chain",
    does: "has io_uring open, read and close it at once; another file has its descriptor then",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-chain-worker",
    does: "the same by a worker thread of io_uring",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-chain-poller",
    does: "the same by the thread that polls the ring (SQPOLL)",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-slot-quiet",
    does: "has io_uring read it without a descriptor and without an answer",
    needs: "io_uring",
  },
  {
    name: "io-uring-mem-slot-chain",
    does: "has io_uring open, read and close it so at once",
    needs: "io_uring",
  },
  {
    name: "io-uring-environ-quiet",
    does: "as io-uring-mem-quiet, of /proc/PID/environ",
    needs: "io_uring",
  },
  {
    name: "io-uring-maps-quiet",
    does: "as io-uring-mem-quiet, of /proc/PID/maps",
    needs: "io_uring",
  },
  { name: "core-signal", does: "sends SIGQUIT, which ends it with a core dump" },
  { name: "core-signal-pidfd", does: "sends SIGQUIT by a pidfd" },
  { name: "core-signal-file", does: "has a file that changes send it SIGQUIT", isIndirect: true },
  { name: "core-limit", does: "sets its limit of core dumps to the present value" },
  { name: "core-limit-processor", does: "the same with the limit whose excess dumps core" },
  { name: "core-limit-stack", does: "the same with the limit of its stack" },
  { name: "core-limit-memory", does: "the same with the limit of its memory" },
];

const onTheKernel: readonly Attack[] = [
  { name: "bpf-program-load", does: "asks to load an empty BPF program", needs: "root" },
  {
    name: "bpf-network-program-reads",
    does: "loads one of a type that networks are made of, which reads the kernel's memory",
    needs: "root",
  },
  {
    name: "module-load",
    does: "asks to load a file that is not a module",
    needs: "a kernel with modules",
  },
  {
    name: "module-load-memory",
    does: "asks to load zeros as a module",
    needs: "a kernel with modules",
  },
  { name: "kexec", does: "asks to load a file that is not a kernel", needs: "kexec" },
  { name: "swap-on", does: "asks to swap to a device that is not a disk", needs: "root" },
  { name: "dev-mem", does: "opens /dev/mem", needs: "root" },
  { name: "dev-port", does: "opens /dev/port", needs: "root" },
  { name: "kcore", does: "opens /proc/kcore", needs: "root" },
  { name: "kcore-read", does: "reads the beginning of /proc/kcore", needs: "root" },
  {
    name: "kcore-io-submit",
    does: "reads it by io_submit(2), after io_uring has opened it without an answer",
    needs: "io_uring",
  },
  { name: "core-pattern", does: "opens core_pattern to write; writes nothing", needs: "root" },
  {
    name: "core-pattern-splice",
    does: "writes the value that it has to core_pattern, by splice(2)",
    needs: "root",
  },
  { name: "core-pattern-sendfile", does: "the same by sendfile(2)", needs: "root" },
  {
    name: "core-pattern-io-submit",
    does: "the same by io_submit(2), behind requests for its own files; io_uring has opened it",
    needs: "io_uring",
  },
  {
    name: "core-pattern-io-uring-splice",
    does: "the same by SPLICE of io_uring",
    needs: "io_uring",
  },
  { name: "perf-paranoid", does: "opens perf_event_paranoid to write", needs: "root" },
  { name: "ftrace-switch", does: "opens ftrace_enabled to write", needs: "root" },
  {
    name: "kprobes-switch",
    does: "opens kprobes/enabled of debugfs to write",
    needs: "root",
  },
  { name: "uprobe-events", does: "opens uprobe_events to write", needs: "tracefs" },
  { name: "kprobe-events", does: "opens kprobe_events to write", needs: "tracefs" },
];

/**
 * Every attack, those on the kernel last. None of them harms a process but `core-signal*`, which
 * may end it.
 */
export function listAttacks(): readonly Attack[] {
  return [...onProcesses, ...onTheKernel];
}
