import type { AuditEvent } from "./audit-event.ts";

/** The description of a kind of event, for the reference. */
export interface EventDescription {
  /** The actor's operation. */
  readonly meaning: string;
  /** Further fields, beside those that every event has. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Techniques of MITRE ATT&CK that look like this. */
  readonly techniques: readonly string[];
}

const READ_MEMORY = "T1003.007";
const WRITE_MEMORY = "T1055.009";
const INJECT = "T1055.008";
const KERNEL = "T1014";

/** Every kind of event. docs/reference/events.md is made of it. */
export const eventCatalogue: Readonly<Record<AuditEvent["kind"], EventDescription>> = {
  ptrace: {
    meaning: "A process became the tracer of another: gdb, strace, an injector.",
    fields: { request: "`attach` or `seize`" },
    techniques: [INJECT],
  },
  ptrace_traceme: {
    meaning: "A protected process had its parent trace it.",
    techniques: [INJECT],
  },
  process_vm_readv: {
    meaning: "A process read the target's memory by process_vm_readv(2).",
    techniques: [READ_MEMORY],
  },
  process_vm_writev: {
    meaning: "A process wrote the target's memory by process_vm_writev(2).",
    techniques: ["T1055"],
  },
  pidfd_getfd: {
    meaning:
      "A process copied a descriptor of the target, for example that of secret memory (pidfd_getfd(2)).",
    techniques: [READ_MEMORY],
  },
  kcmp: {
    meaning: "A process compared descriptors or memory by kcmp(2).",
    techniques: [READ_MEMORY],
  },
  process_madvise: {
    meaning: "A process told the kernel how to treat the target's memory (process_madvise(2)).",
    techniques: [READ_MEMORY],
  },
  move_pages: {
    meaning: "A process asked for the location of the target's pages (move_pages(2)).",
    techniques: [READ_MEMORY],
  },
  migrate_pages: {
    meaning: "A process asked to move the target's pages (migrate_pages(2)).",
    techniques: [READ_MEMORY],
  },
  get_robust_list: {
    meaning: "A process asked for the address of the target's list of locks (get_robust_list(2)).",
    techniques: [READ_MEMORY],
  },
  setns: {
    meaning: "A process entered the target's namespaces by a pidfd (setns(2)).",
    techniques: ["T1611"],
  },
  perf_event_open: {
    meaning:
      "A process asked to sample the target. perf_event_open(2) can return its registers and stack.",
    techniques: [READ_MEMORY],
  },
  task_access: {
    meaning:
      "A process asked the kernel for access to the target, by a way that has no separate kind.",
    fields: { access: "`attach`: to its memory; `read`: to its data in the kernel" },
    techniques: [READ_MEMORY],
  },
  process_file: {
    meaning:
      "A process opened a file of /proc/PID that shows the target's memory, or that controls its dumps.",
    fields: {
      file: "`mem`, `environ`, `maps` …, by the file itself and never by a path",
      access: "`write` if it was opened for writing, too",
    },
    techniques: [READ_MEMORY, WRITE_MEMORY],
  },
  core_signal: {
    meaning:
      "A process outside sent a signal that ends the target with a core dump. Or it stops or ends a wrapper, and is neither an ancestor of it nor a container runtime.",
    fields: { signal: "its number" },
    techniques: [READ_MEMORY],
  },
  core_limit: {
    meaning:
      "A process outside set the target's limit of core dumps, or a limit that ends it with one.",
    techniques: [READ_MEMORY],
  },
  loader: {
    meaning:
      "A child of a registered program has another LD_PRELOAD or LD_AUDIT than the program had at its start. Or the kernel starts another file in place of a program (binfmt_misc). The child is the actor and the target.",
    fields: { by: "`variables`, or `interpreter` if the kernel starts another file" },
    techniques: ["T1574.006"],
  },
  secret_descriptor: {
    meaning:
      "A process that is not registered received a descriptor of secret memory, or maps one.",
    fields: { registration: "of the program that owns the memory; missing if it is not known" },
    techniques: [READ_MEMORY],
  },
  bpf_program_load: { meaning: "A process loaded a BPF program.", techniques: [KERNEL] },
  module_load: { meaning: "A process loaded a kernel module.", techniques: ["T1547.006", KERNEL] },
  kexec: { meaning: "A process loaded another kernel to start it.", techniques: [KERNEL] },
  kernel_probe: {
    meaning:
      "A process put probes into the kernel or into programs: by perf_event_open(2), or by an interface that lockdown controls.",
    techniques: [KERNEL],
  },
  kernel_memory: {
    meaning: "A process opened memory of the kernel or of the whole machine.",
    fields: { memory: "`dev_mem`, `kcore`, `ioport`, `msr`, `pci`" },
    techniques: [READ_MEMORY],
  },
  kernel_file: {
    meaning:
      "A process opened a setting for writing that protects the secrets of other processes, or that says which programs the kernel and the loader run.",
    fields: { file: "its name, as `core_pattern`" },
    techniques: ["T1562.001"],
  },
  hibernation: {
    meaning: "A process asked to write the machine's memory to a disk.",
    techniques: [READ_MEMORY],
  },
  cpu_sampling: {
    meaning:
      "A process samples a processor, with registers or pieces of the stack of every program that runs on it (perf_event_open(2)).",
    techniques: [READ_MEMORY],
  },
  swap_space: {
    meaning:
      "A process gave the machine swap space (swapon(2)). The kernel may write the heaps of programs there, but not secret memory.",
    techniques: [READ_MEMORY],
  },
  token_file: {
    meaning:
      "A process opened the file of the service account token that a pod's wrapper logs in with, and is neither the wrapper nor the kubelet.",
    fields: { registration: "of the wrapper" },
    techniques: ["T1528"],
  },
  agent_tampering: {
    meaning:
      "A process reached for the agent, or for its BPF programs. An agent that only looks reports `map` alone, on the tier `tracing`.",
    fields: {
      what: "`signal`, `limit`: of the agent's process; `map`: of its BPF programs; `pin`, `mount`: these keep them in the kernel",
    },
    techniques: ["T1562.001"],
  },
  agent_adoption: {
    meaning:
      "A process took over the pins of an agent that has ended: an agent that starts, or a process that imitates one.",
    techniques: ["T1562.001"],
  },
};

/** Kinds that the agent itself makes. */
export const ownEventCatalogue: Readonly<Record<`agent_${string}`, EventDescription>> = {
  agent_started: {
    meaning:
      "The agent has started. The event lists the covered kinds with their mechanisms, and the kinds that this kernel does not cover.",
    techniques: [],
  },
  agent_found_tracer: {
    meaning:
      "A process traced a program or its wrapper at the time of the registration. It may read the program without further events, unless `decision` is `killed` (an enforcing agent ends it). The event has `actor` (`pid`, `name`, `executable`) and `target` (`pid`, `registration`) of that time.",
    techniques: [INJECT],
  },
  agent_refused_login: {
    meaning:
      "A process asked the agent for the token of a pod's service account, and is not the pod's wrapper (CSI_TOKEN_AUDIENCE). It got none. The event has the `reason`, and `actor` (`pid`, `uid`, and `podUid` and `containerId` if it is in a pod).",
    techniques: ["T1528"],
  },
  agent_blinded: {
    meaning:
      "The kernel no longer calls the agent's programs (`tier`). A process has switched this off, by a descriptor of the switch that was open before.",
    techniques: ["T1562.001"],
  },
  agent_sees_again: { meaning: "The kernel calls the agent's programs again.", techniques: [] },
  agent_break_glass: {
    meaning:
      "Root has opened or closed the guards, or removed the pins: `asked` (`open`, `close`, `remove`), `seconds`, `until`, `reason`, `actor` (`pid`, `uid`, `name`). With `asked` = `found_open` an agent starts and finds guards that were opened before.",
    techniques: ["T1562.001"],
  },
  agent_break_glass_ended: {
    meaning:
      "The guards hold again after a break-glass: `how` (`expired`, `closed`), and `reason` and `openedBy` of the opening. An agent that starts later reports guards that closed while none ran, without these two.",
    techniques: [],
  },
  agent_policies_in_force: {
    meaning:
      "The agent follows other policies than before: `policies` (`name`, `reason`, `mode`, `expires`, `state`). The name of a SvcPolicy begins with `svcpolicy/`. `unusable` has executables that are not there or have another digest, and namespaces whose pods are not known.",
    techniques: [],
  },
  agent_policies_refused: {
    meaning:
      "POLICY_FILE or a SvcPolicy has mistakes (`problems`). The policies before (`inForce`) stay in force.",
    techniques: [],
  },
  agent_socket_lost: {
    meaning:
      "Wrappers that connect at the agent's socket (`path`) do not reach it: a process has moved, removed or replaced the file. `found` is `nothing`, `another file` or `unreadable`. Programs that start from now on are not protected.",
    techniques: ["T1562.001"],
  },
  agent_socket_restored: {
    meaning: "The agent's socket is at its `path` again.",
    techniques: [],
  },
  agent_stopped: { meaning: "The agent was asked to end.", techniques: [] },
};
