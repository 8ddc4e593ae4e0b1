import { readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { type AuditEvent, decodeEvent, type EventMechanism, monitorPrograms } from "@svc/agent";
import {
  configBytes,
  isAtLeast,
  observing,
  readDrops,
  readProbeTypes,
  sumAt,
  taskMarks,
} from "@svc/agent/testdata";
import { BpfRing, closeDescriptor, loadPrograms, openProcess } from "@svc/kernel";
import { buildBpf } from "../../../scripts/build/bpf.ts";

/** The settings of the kernel side; `struct svc_config` of bpf/event.h. */
export interface AgentStageOptions {
  /** The mechanism. The default is tracing, which every kernel has. */
  readonly mechanism?: EventMechanism;
  /** By default no: on another machine something may load a BPF program at any time. */
  readonly watchNode?: boolean;
  readonly logAll?: boolean;
  /** Loads the parts that stop attempts, too. Without an agent that lives they stop none. */
  readonly stops?: boolean;
  /** Judges the targets of calls, for which Linux before 6.2 has no function. By default it does. */
  readonly watchTargets?: boolean;
}

/** The kernel side of the agent at work. */
export interface AgentStage extends Disposable {
  readonly attached: readonly string[];
  /** Programs that this kernel does not take, and why. */
  readonly refused: readonly string[];
  /** With an environment that holds no value if that is `bare`. */
  readonly protect: (pid: number, registration: bigint, environment?: "bare") => void;
  readonly own: (pid: number, registration: bigint) => void;
  readonly exempt: (pid: number) => void;
  /** True if the kernel knows the process of a pidfd as protected. */
  readonly isProtected: (pidfd: number) => boolean;
  /** True if the kernel knows the process of a pidfd as a wrapper. */
  readonly isOwner: (pidfd: number) => boolean;
  /** The events since the last call. */
  readonly violations: () => readonly AuditEvent[];
  /** As violations, of the ring of everything. */
  readonly everything: () => readonly AuditEvent[];
  /** Hands over violations undecoded. */
  readonly drain: (visit: (data: DataView, at: number, length: number) => void) => number;
  /** Processes in which io_uring may have opened files. */
  readonly ringOpeners: () => number;
  /** How many events found their ring full, or tasks no room for their protection. */
  readonly dropped: () => number;
}

const everyTarget = {
  ...observing,
  watchTargets: true,
  watchMemory: true,
  readKernel: true,
  probes: readProbeTypes(),
};

const everyKind = (1n << 63n) - 1n;

/** Loads the object of this checkout, as much of it as this kernel takes. */
export function startAgentStage(options: AgentStageOptions = {}): AgentStage {
  const { mechanism = "tracing", watchNode = false, logAll = false, stops = false } = options;
  const { watchTargets = true } = options;
  const bytes = readFileSync(buildBpf(join(import.meta.dirname, "../../..")));
  const { object, attached, refused } = loadPrograms(new Uint8Array(bytes), {
    // Those of another mechanism would report the same attempts a second time.
    programs: monitorPrograms
      .filter(({ isGuard = false }) => !isGuard)
      .filter((program) => program.mechanism === mechanism || program.kinds.length === 0)
      .filter((program) => ["tracing", mechanism].includes(program.mechanism))
      .filter(({ since }) => since === undefined || isAtLeast(release(), ...since))
      .map(({ name }) => name),
    constants: {
      ".rodata.config": configBytes({
        ...{ ...everyTarget, watchNode, logAll, watchTargets },
        ...(stops && { watchUses: true, stopped: everyKind, killed: everyKind }),
      }),
    },
  });
  const marks = taskMarks(object.map("protections"));
  const dropped = object.map("dropped");
  const violations = new BpfRing(object.map("violations"));
  const everything = new BpfRing(object.map("everything"));
  return {
    attached,
    refused: refused.map(({ program, error }) => `${program}: ${error.message}`),
    protect: (pid, registration, environment) =>
      withProcess(pid, (pidfd) => marks.protect(pidfd, registration, environment)),
    own: (pid, registration) => withProcess(pid, (pidfd) => marks.own(pidfd, registration)),
    exempt: (pid) => withProcess(pid, marks.exempt),
    isProtected: (pidfd) => marks.protectedBy(pidfd) !== undefined,
    isOwner: (pidfd) => marks.ownedBy(pidfd) !== undefined,
    violations: () => eventsOf(violations),
    everything: () => eventsOf(everything),
    ringOpeners: () => Number(sumAt(object.map("ring_opener_counts"), 0)),
    drain: (visit) => violations.drain(visit),
    dropped: () => {
      const { violations, everything, inheritances } = readDrops(dropped);
      return Number(violations + everything + inheritances);
    },
    [Symbol.dispose]: () => {
      for (const ring of [violations, everything]) ring.close();
      object.close();
    },
  };
}

function withProcess<T>(pid: number, use: (pidfd: number) => T): T {
  const pidfd = openProcess(pid);
  try {
    return use(pidfd);
  } finally {
    closeDescriptor(pidfd);
  }
}

function eventsOf(ring: BpfRing): readonly AuditEvent[] {
  const events: AuditEvent[] = [];
  ring.drain((data, at, length) => void events.push(decodeEvent(data, at, length)));
  return events;
}
