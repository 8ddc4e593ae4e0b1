import { bootNanoseconds } from "@svc/kernel";
import type { RingName } from "../events/ring-name.ts";
import type { DropCounts } from "../monitor/drop-counters.ts";
import { type AuditRecord, auditRecord, type RegistrationFacts } from "../report/audit-record.ts";
import { PodNames } from "../report/pod-names.ts";
import { ProcessDirectory } from "../report/process-details.ts";
import type { PumpedEvent } from "./event-pump.ts";

/** The inputs of a reporter. */
export interface ReporterOptions {
  readonly node: string;
  readonly bootId: string;
  /** The machine's root directory; undefined if this process cannot see it. */
  readonly machineRoot: string | undefined;
  readonly registrationOf: (registration: bigint) => RegistrationFacts | undefined;
  readonly policyOf: (number: number) => string | undefined;
  readonly drops: () => DropCounts;
  /** Takes every record: a line of JSON. */
  readonly print: (line: string) => void;
  /** Takes those that the platform is to have. */
  readonly keep: (contents: readonly Uint8Array[]) => void;
}

/** Makes records of events and hands them on. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #processes: ProcessDirectory;
  #dropped = { violations: 0n, everything: 0n };
  readonly #counts = new Map<string, number>();
  /** The number of the records that the agent itself makes. */
  #own = 0;
  readonly #startedNs = bootNanoseconds();

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#processes = new ProcessDirectory(new PodNames(options.machineRoot));
  }

  /** Reports the events of the rings. */
  report(events: readonly PumpedEvent[]): void {
    if (events.length === 0) return;
    const timeOf = wallClock();
    const kept: Uint8Array[] = [];
    const lost = this.#newDrops();
    for (const { ring, event, count } of events) {
      const droppedBefore = lost[ring];
      lost[ring] = 0;
      const record = auditRecord(event, {
        ...this.#options,
        ...{ ring, count, timeOf, droppedBefore, startedNs: this.#startedNs },
        detailsOf: (process) => this.#processes.look(process),
      });
      this.#count(`${record.kind} ${event.decision}`, count);
      this.#hand(record, ring === "violations" ? kept : undefined);
    }
    if (kept.length > 0) this.#options.keep(kept);
  }

  /** Reports something of the agent itself. */
  reportOwn(kind: `agent_${string}`, facts: Readonly<Record<string, unknown>>): void {
    const { node, bootId, keep } = this.#options;
    this.#own += 1;
    const id = `${bootId}/${this.#startedNs}/agent/${this.#own}`;
    const time = new Date().toISOString();
    const kept: Uint8Array[] = [];
    this.#hand({ time, id, kind, node, bootId, ...facts }, kept);
    keep(kept);
  }

  /** How many attempts were reported, by kind and decision with a blank between them. */
  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  #hand(record: AuditRecord, kept: Uint8Array[] | undefined): void {
    const line = JSON.stringify(record);
    this.#options.print(line);
    kept?.push(new TextEncoder().encode(line));
  }

  #count(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** The rings' losses since the last request; the next record of each has the number. */
  #newDrops(): Record<RingName, number> {
    const { violations, everything } = this.#options.drops();
    const news = {
      violations: Number(violations - this.#dropped.violations),
      everything: Number(everything - this.#dropped.everything),
    };
    this.#dropped = { violations, everything };
    return news;
  }
}

/**
 * The time of day of an event; both clocks are read again for each batch, as the day's may be set.
 */
function wallClock(): (bootNs: bigint) => Date {
  const nowMs = Date.now();
  const nowNs = bootNanoseconds();
  return (bootNs) => new Date(nowMs - Number(nowNs - bootNs) / 1e6);
}
