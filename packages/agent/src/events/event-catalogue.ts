import type { AuditEvent } from "./audit-event.ts";

/** What a kind of event means, for the reference. */
export interface EventDescription {
  /** What somebody did. */
  readonly meaning: string;
  /** Fields of its own, beside those that every event has. */
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
    meaning: "Memory was read by process_vm_readv(2).",
    techniques: [READ_MEMORY],
  },
  process_vm_writev: {
    meaning: "Memory was written by process_vm_writev(2).",
    techniques: ["T1055"],
  },
  pidfd_getfd: {
    meaning: "A copy of a descriptor was taken, as that of secret memory (pidfd_getfd(2)).",
    techniques: [READ_MEMORY],
  },
  kcmp: { meaning: "Descriptors or memory were compared by kcmp(2).", techniques: [READ_MEMORY] },
  process_madvise: {
    meaning: "The kernel was told how to treat its memory (process_madvise(2)).",
    techniques: [READ_MEMORY],
  },
  move_pages: {
    meaning: "It was asked where its pages are (move_pages(2)).",
    techniques: [READ_MEMORY],
  },
  migrate_pages: {
    meaning: "Its pages were to be moved (migrate_pages(2)).",
    techniques: [READ_MEMORY],
  },
  get_robust_list: {
    meaning: "The address of its list of locks was asked for (get_robust_list(2)).",
    techniques: [READ_MEMORY],
  },
  setns: {
    meaning: "A process entered its namespaces by a pidfd (setns(2)).",
    techniques: ["T1611"],
  },
  perf_event_open: {
    meaning: "It was to be sampled: registers and stack among what perf_event_open(2) can give.",
    techniques: [READ_MEMORY],
  },
  task_access: {
    meaning:
      "The kernel was asked for the right to look into it, by a way that has no kind of its own.",
    fields: { access: "`attach`: to its memory; `read`: to what is known of it" },
    techniques: [READ_MEMORY],
  },
  process_file: {
    meaning:
      "A file of /proc/PID was opened that tells of its memory, or changes what of it goes where.",
    fields: {
      file: "`mem`, `environ`, `maps` …, by the file itself and never by a path",
      access: "`write` where it was opened to be written, too",
    },
    techniques: [READ_MEMORY, WRITE_MEMORY],
  },
  core_signal: {
    meaning: "A signal from outside that ends it with a core dump.",
    fields: { signal: "its number" },
    techniques: [READ_MEMORY],
  },
  core_limit: {
    meaning: "Its limit of core dumps was set from outside.",
    techniques: [READ_MEMORY],
  },
  loader: {
    meaning:
      "A child of a registered program has another LD_PRELOAD or LD_AUDIT than the program began with; it is the actor and the target.",
    techniques: ["T1574.006"],
  },
  secret_descriptor: {
    meaning:
      "A process that nobody has registered was given a descriptor of secret memory, or maps one.",
    fields: { registration: "of the program whose memory it is; missing where that is not known" },
    techniques: [READ_MEMORY],
  },
  bpf_program_load: { meaning: "A BPF program was loaded.", techniques: [KERNEL] },
  module_load: { meaning: "A kernel module was loaded.", techniques: ["T1547.006", KERNEL] },
  kexec: { meaning: "Another kernel was loaded to be started.", techniques: [KERNEL] },
  kernel_probe: {
    meaning:
      "Probes were put into the kernel or into programs: by perf_event_open(2), or what lockdown asks about.",
    techniques: [KERNEL],
  },
  kernel_memory: {
    meaning: "Memory that is the kernel's, or anybody's, was opened.",
    fields: { memory: "`dev_mem`, `kcore`, `ioport`, `msr`, `pci`" },
    techniques: [READ_MEMORY],
  },
  kernel_file: {
    meaning: "A setting of the kernel was opened to be written that others' secrets depend on.",
    fields: { file: "its name, as `core_pattern`" },
    techniques: ["T1562.001"],
  },
  hibernation: {
    meaning: "The machine's memory was to be written to a disk.",
    techniques: [READ_MEMORY],
  },
  cpu_sampling: {
    meaning:
      "A processor is sampled with registers or pieces of the stack of whatever runs on it (perf_event_open(2)).",
    techniques: [READ_MEMORY],
  },
  swap_space: {
    meaning:
      "The machine was given swap space (swapon(2)): what programs have on their heaps may be written there. Secret memory is not.",
    techniques: [READ_MEMORY],
  },
  agent_tampering: {
    meaning:
      "Somebody reached for the agent, or for what it has put into the kernel, while it stops attempts.",
    fields: {
      what: "`signal`, `limit`: of the agent's process; `map`: of its programs; `pin`, `mount`: what keeps them in the kernel",
    },
    techniques: ["T1562.001"],
  },
  agent_adoption: {
    meaning:
      "A process took over what an agent that has ended left in the kernel: an agent that starts, or whoever wants to be one.",
    techniques: ["T1562.001"],
  },
};

/** Kinds that the agent itself makes. */
export const ownEventCatalogue: Readonly<Record<`agent_${string}`, EventDescription>> = {
  agent_started: {
    meaning: "The agent has begun to look: what it sees on this kernel, by what, and what not.",
    techniques: [],
  },
  agent_found_tracer: {
    meaning:
      "A program, or its wrapper, was traced by somebody when it came to be registered, who may read it unseen, unless `decision` is `killed` (an agent that stops attempts ends it): `actor` (`pid`, `name`, `executable`) and `target` (`pid`, `registration`) as they are then.",
    techniques: [INJECT],
  },
  agent_blinded: {
    meaning:
      "The kernel does not call the agent's programs any more (`tier`): somebody has switched that off, by a descriptor of the switch that was open before.",
    techniques: ["T1562.001"],
  },
  agent_sees_again: { meaning: "It calls them again.", techniques: [] },
  agent_break_glass: {
    meaning:
      "Root has opened or closed the guards, or removed what is pinned: `asked` (`open`, `close`, `remove`), `seconds`, `reason`, `actor` (`pid`, `uid`, `name`).",
    techniques: ["T1562.001"],
  },
  agent_policies_in_force: {
    meaning:
      "The agent follows other policies than before: `policies` (`name`, `reason`, `mode`, `expires`, `state`, and `unusable`: executables that are not there, or have another digest).",
    techniques: [],
  },
  agent_policies_refused: {
    meaning:
      "POLICY_FILE cannot be used (`problems`). The policies before (`inForce`) stay in force.",
    techniques: [],
  },
  agent_stopped: { meaning: "The agent was asked to end.", techniques: [] },
};
