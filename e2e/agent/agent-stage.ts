import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditEvent, decodeEvent, type EventMechanism, monitorPrograms } from "@svc/agent";
import { BpfRing, closeDescriptor, loadPrograms, openProcess } from "@svc/kernel";
import { buildBpf } from "../../scripts/build/bpf.ts";

const PROTECTED = 1;
const EXEMPT = 2;
const OWNER = 4;
const BARE_ENVIRONMENT = 8;

/** What the kernel side does; `struct svc_config` of bpf/event.h. */
export interface AgentStageOptions {
  /** What is to see: tracing unless told, which is there on every kernel. */
  readonly mechanism?: EventMechanism;
  /** No unless told: on another machine something may load a BPF program at any time. */
  readonly watchNode?: boolean;
  readonly logAll?: boolean;
}

/** The kernel side of the agent at work. */
export interface AgentStage extends Disposable {
  readonly attached: readonly string[];
  /** Programs that this kernel does not take, and why. */
  readonly refused: readonly string[];
  readonly protect: (pid: number, registration: bigint) => void;
  /** As protect, of a process whose environment holds no value. */
  readonly protectBare: (pid: number, registration: bigint) => void;
  readonly own: (pid: number, registration: bigint) => void;
  readonly exempt: (pid: number) => void;
  /** True where the kernel knows the process of a pidfd as protected. */
  readonly isProtected: (pidfd: number) => boolean;
  /** The events since the last call. */
  readonly violations: () => readonly AuditEvent[];
  /** As violations, of the ring of everything. */
  readonly everything: () => readonly AuditEvent[];
  /** Hands over violations undecoded. */
  readonly drain: (visit: (data: DataView, at: number, length: number) => void) => number;
  /** How many events found their ring full, or tasks no room for their protection. */
  readonly dropped: () => number;
}

/** Loads the object of this checkout, as much of it as this kernel takes. */
export function startAgentStage(options: AgentStageOptions = {}): AgentStage {
  const { mechanism = "tracing", watchNode = false, logAll = false } = options;
  const bytes = readFileSync(buildBpf(join(import.meta.dirname, "../..")));
  const { object, attached, refused } = loadPrograms(new Uint8Array(bytes), {
    // Those of another mechanism would report the same attempts a second time.
    programs: monitorPrograms
      .filter((program) => program.mechanism === mechanism || program.kinds.length === 0)
      .filter((program) => ["tracing", mechanism].includes(program.mechanism))
      .map(({ name }) => name),
    constants: { ".rodata.config": new Uint8Array([1, Number(watchNode), Number(logAll), 0]) },
  });
  const protections = object.map("protections");
  const dropped = object.map("dropped");
  const violations = new BpfRing(object.map("violations"));
  const everything = new BpfRing(object.map("everything"));
  const mark = (pid: number, flags: number, registration: bigint) =>
    withProcess(pid, (key) => protections.update(key, protection(flags, registration)));
  return {
    attached,
    refused: refused.map(({ program, error, log }) => `${program}: ${error.message}: ${log}`),
    protect: (pid, registration) => mark(pid, PROTECTED, registration),
    protectBare: (pid, registration) => mark(pid, PROTECTED | BARE_ENVIRONMENT, registration),
    own: (pid, registration) => mark(pid, OWNER, registration),
    exempt: (pid) => mark(pid, EXEMPT, 0n),
    isProtected: (pidfd) => ((protections.lookup(int(pidfd))?.[8] ?? 0) & PROTECTED) !== 0,
    violations: () => eventsOf(violations),
    everything: () => eventsOf(everything),
    drain: (visit) => violations.drain(visit),
    dropped: () => {
      const indexes = Array.from({ length: dropped.maxEntries }, (_, index) => index);
      return indexes.reduce((total, index) => total + sum(dropped.lookup(int(index))), 0);
    },
    [Symbol.dispose]: () => {
      for (const ring of [violations, everything]) ring.close();
      object.close();
    },
  };
}

function withProcess<T>(pid: number, use: (key: Uint8Array) => T): T {
  const fd = openProcess(pid);
  try {
    return use(int(fd));
  } finally {
    closeDescriptor(fd);
  }
}

/** `struct svc_protection` of bpf/event.h. */
function protection(flags: number, registration: bigint): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(16));
  bytes.setBigUint64(0, registration, true);
  bytes.setUint32(8, flags, true);
  return new Uint8Array(bytes.buffer);
}

function eventsOf(ring: BpfRing): readonly AuditEvent[] {
  const events: AuditEvent[] = [];
  ring.drain((data, at, length) => void events.push(decodeEvent(data, at, length)));
  return events;
}

function int(value: number): Uint8Array {
  return new Uint8Array(new Int32Array([value]).buffer);
}

function sum(values: Uint8Array | undefined): number {
  const numbers = new BigUint64Array(values?.buffer ?? new ArrayBuffer());
  return Number(numbers.reduce((total, value) => total + value, 0n));
}
