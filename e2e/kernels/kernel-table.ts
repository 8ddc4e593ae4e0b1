import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventMechanism } from "@svc/agent";
import { isAbout, processesOf } from "../harness/agent/is-about.ts";
import { phraseOf } from "../harness/agent/phrase-of.ts";
import {
  type EnforcedSight,
  enforcedTable,
  type TamperSight,
  tamperTable,
} from "./enforced-table.ts";
import type { GuestResults } from "./guest/guest-results.ts";

/** The result of one attack on one kernel, under an agent that only reports. */
export interface DetectedSight {
  /** Its events, in their order. */
  readonly seen: readonly string[];
  /** The program that has seen it; absent if none has. */
  readonly by?: EventMechanism;
  /** How it ended for the attacker. */
  readonly answer: string;
}

/** The outcome under an agent that enforces. */
export interface KernelSight extends DetectedSight {
  readonly enforced: EnforcedSight;
}

/** A kernel's golden table: golden/NAME.json. */
export interface KernelTable {
  /** The kernel that it was made on; a later one of the same line has to give the same. */
  readonly kernel: string;
  readonly tier: EventMechanism;
  /** Whether each mechanism is used, and if not whether it could be. */
  readonly mechanisms: Readonly<Record<string, string>>;
  /** Kinds of events, each with a program that reports it. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Kinds of events that nothing reports there. */
  readonly unseen: readonly string[];
  /** Programs that the kernel does not take. */
  readonly refused: readonly string[];
  readonly attacks: Readonly<Record<string, KernelSight>>;
  /** By the way of tampering with an agent that enforces. */
  readonly tampers: Readonly<Record<string, TamperSight>>;
}

/** The file of a kernel's table. */
export function tablePath(name: string): string {
  return join(import.meta.dirname, "golden", `${name}.json`);
}

/** A kernel's table as it was agreed to. */
export function goldenTable(name: string): KernelTable {
  // Our own file; one of another shape fails its assertions.
  return JSON.parse(readFileSync(tablePath(name), "utf8")) as KernelTable;
}

/** The table of the results. */
export function tableOf({ release, status, attacks, seen, enforced }: GuestResults): KernelTable {
  const became = enforcedTable(enforced);
  const sights = Object.entries(attacks).map(([name, attack]): [string, KernelSight] => {
    const records = seen.filter((record) => isAbout(processesOf(record), attack));
    const by = mechanismOf(records[0]);
    const { answer } = attack;
    const sight = became[name];
    if (sight === undefined) throw new TypeError(`attack "${name}" was not tried often`);
    return [name, { seen: records.map(phraseOf), ...(by && { by }), answer, enforced: sight }];
  });
  return {
    kernel: release,
    tier: mechanismOf({ mechanism: status.tier }) ?? "tracing",
    mechanisms: Object.fromEntries(
      Object.entries(status.mechanisms).map(([name, { state }]) => [name, state]),
    ),
    kinds: status.kinds,
    unseen: status.unseen,
    refused: status.refused.map(({ program }) => program),
    attacks: Object.fromEntries(sights),
    tampers: tamperTable(enforced),
  };
}

function mechanismOf(record: Readonly<Record<string, unknown>> | undefined) {
  const all = ["lsm", "fmod_ret", "override", "tracing"] as const;
  return all.find((mechanism) => mechanism === record?.["mechanism"]);
}
