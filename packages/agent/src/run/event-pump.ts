import type { BpfRing, RecordVisitor } from "@svc/kernel";
import type { AuditEvent } from "../events/audit-event.ts";
import { decodeEvent } from "../events/decode-event.ts";
import { eventOffsets as at } from "../events/event-layout.ts";
import type { RingName } from "../events/ring-name.ts";
import { type AttemptKey, Coalescer } from "../report/coalescer.ts";
import type { PumpCounts } from "../report/pump-counts.ts";

/** An event that was read, and how many it stands for. */
export interface PumpedEvent {
  readonly ring: RingName;
  readonly event: AuditEvent;
  readonly count: number;
}

/** The reading ends. */
export interface ReadableRings {
  readonly violations: Pick<BpfRing, "read" | "release">;
  readonly everything: Pick<BpfRing, "drain">;
}

const SUM_INTERVAL_MS = 1000;
/**
 * The most violations of one turn. A new agent may find thousands in the ring: wrappers that come
 * back must not wait until all of them are reported.
 */
const MOST_VIOLATIONS = 64;
/**
 * The most records of the ring of everything in one turn: the violations must never wait for it.
 */
const MOST_OF_EVERYTHING = 10_000;

/** Reads the rings, in turns. */
export class EventPump {
  readonly #rings: ReadableRings;
  readonly #coalescers = {
    violations: new Coalescer<AuditEvent>(),
    everything: new Coalescer<AuditEvent>(),
  };
  readonly #counts = { violations: 0, everything: 0 };
  #unreadable = 0;
  #isSettled = true;
  #hasMore = false;
  #summedMs = performance.now();

  constructor(rings: ReadableRings) {
    this.#rings = rings;
  }

  /**
   * The events since the last turn, oldest first; sums of repeated ones once a second. Not more
   * than a portion of violations, which stay in the kernel's ring until `release`.
   */
  turn(): readonly PumpedEvent[] {
    return this.#turn(MOST_VIOLATIONS);
  }

  /**
   * The events of the last turn are handed on. Until then a pinned ring has them for the next
   * agent.
   */
  release(): void {
    this.#rings.violations.release();
  }

  #turn(most: number): PumpedEvent[] {
    const events: PumpedEvent[] = [];
    this.#hasMore = false;
    const isEnough = () => {
      this.#hasMore ||= events.length >= most;
      return this.#hasMore;
    };
    this.#read("violations", events, (visit) => this.#rings.violations.read(visit, isEnough));
    this.#read("everything", events, (visit) =>
      this.#rings.everything.drain(visit, MOST_OF_EVERYTHING),
    );
    if (performance.now() - this.#summedMs >= SUM_INTERVAL_MS) this.#sumUp(events);
    return events;
  }

  /** As turn, of all that is there, with all sums: the last one. */
  finish(): readonly PumpedEvent[] {
    const events = this.#turn(Infinity);
    this.#sumUp(events);
    return events;
  }

  /** The last turn has left violations in the ring. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** False as long as there may be sums that were not reported. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  counts(): PumpCounts {
    return { read: { ...this.#counts }, unreadable: this.#unreadable };
  }

  #read(ring: RingName, events: PumpedEvent[], walk: (visit: RecordVisitor) => number): void {
    const coalescer = this.#coalescers[ring];
    const read = walk((data, start, length) => {
      const decode = () => decodeEvent(data, start, length);
      try {
        if (coalescer.admit(keyAt(data, start), decode))
          events.push({ ring, event: decode(), count: 1 });
      } catch {
        this.#unreadable += 1;
      }
    });
    this.#counts[ring] += read;
    if (read > 0) this.#isSettled = false;
  }

  #sumUp(events: PumpedEvent[]): void {
    this.#summedMs = performance.now();
    this.#isSettled = true;
    for (const ring of ["violations", "everything"] as const) {
      for (const { event, count } of this.#coalescers[ring].takeRepetitions()) {
        events.push({ ring, event, count });
      }
    }
  }
}

/** A record of the wrong length fails to decode; its key is read from the bytes that are there. */
function keyAt(data: DataView, start: number): AttemptKey {
  return {
    kind: data.getUint8(start + at.kind),
    detail: data.getUint32(start + at.detail, true),
    decision: data.getUint8(start + at.decision),
    policy: data.getUint32(start + at.policy, true),
    actorPid: data.getUint32(start + at.actor_pid, true),
    actorStart: data.getBigUint64(start + at.actor_start_ns, true),
    actorCgroup: data.getBigUint64(start + at.actor_cgroup, true),
    actorInode: data.getBigUint64(start + at.actor_exe_inode, true),
    targetPid: data.getUint32(start + at.target_pid, true),
    registration: data.getBigUint64(start + at.registration, true),
  };
}
