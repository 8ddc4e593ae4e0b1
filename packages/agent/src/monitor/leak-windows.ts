/** How many attempts were made of each attack while this was measured. */
export const ATTEMPTS_OF_EACH = 50;

/** How many of the killed actors had already read the secret. */
export type LeakWindow = { readonly attempts: number; readonly hadIt: number } | "not measured";

/**
 * The attacks of docs/reference/attacks.md by which a row was measured, on a tier on which
 * an agent can only kill, in a guest with one processor. None of the killed had a byte. A test compares this with the
 * measured table.
 */
export const measuredBy: Readonly<Partial<Record<string, readonly string[]>>> = {
  ptrace: ["ptrace-attach", "ptrace-seize", "ptrace-attach-by-int80"],
  process_vm_readv: ["process-vm-readv", "process-vm-readv-by-x32"],
  process_vm_writev: ["process-vm-writev"],
  pidfd_getfd: ["pidfd-getfd", "pidfd-getfd-map", "pidfd-getfd-by-sibling"],
  perf_event_open: ["perf-event-open"],
  cpu_sampling: ["perf-all", "perf-cgroup"],
  kernel_probe: ["perf-uprobe"],
  process_file: [
    ...["proc-mem", "proc-mem-relative", "proc-mem-thread", "proc-mem-write"],
    ...["proc-mem-wide-number", "proc-mem-by-thread", "proc-mem-by-sibling", "proc-mem-hidden"],
    "proc-mem-by-program",
  ],
  process_control_file: ["proc-coredump-filter", "proc-clear-refs", "proc-oom-score-adj"],
  process_file_held: ["proc-mem-opened-before"],
  process_file_by_ring: [
    ...["io-uring-mem", "io-uring-mem-slot", "io-uring-mem-installed", "io-uring-environ"],
    ...["io-uring-mem-quiet", "io-uring-mem-chain", "io-uring-mem-chain-worker"],
    ...["io-uring-mem-chain-poller", "io-uring-mem-slot-quiet", "io-uring-mem-slot-chain"],
  ],
  secret_descriptor: ["scm-rights-map", "scm-rights-before-map"],
  loader: ["child-ld-preload", "child-ld-audit"],
  core_signal: ["core-signal", "core-signal-pidfd", "core-signal-file"],
  core_limit: ["core-limit", "core-limit-processor", "core-limit-stack", "core-limit-memory"],
  bpf_program_load: ["bpf-program-load"],
  bpf_network_program: ["bpf-network-program-reads"],
  module_load: ["module-load", "module-load-memory"],
  kexec: ["kexec"],
  kernel_memory: ["dev-mem", "dev-port", "kcore", "kcore-read", "kcore-io-submit"],
  kernel_file: [
    ...["core-pattern", "core-pattern-splice", "core-pattern-sendfile", "core-pattern-io-submit"],
    ...["core-pattern-io-uring-splice", "perf-paranoid", "kprobes-switch", "uprobe-events"],
    "kprobe-events",
  ],
};

/**
 * The measured figures of the rows whose actors are only killed. @param rows the outcome of each
 * row
 */
export function leakWindows(
  rows: Readonly<Record<string, string>>,
): Readonly<Record<string, LeakWindow>> {
  const killed = Object.keys(rows).filter((row) => rows[row] === "killed");
  return Object.fromEntries(killed.map((row) => [row, leakWindow(measuredBy[row] ?? [])]));
}

function leakWindow(attacks: readonly string[]): LeakWindow {
  if (attacks.length === 0) return "not measured";
  return { attempts: attacks.length * ATTEMPTS_OF_EACH, hadIt: 0 };
}
