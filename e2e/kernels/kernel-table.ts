import { join } from "node:path";
import type { EventMechanism } from "@svc/agent";
import { readGoldenTable, writeGoldenTables } from "@svc/testing";
import { isAbout, processesOf } from "../harness/agent/is-about.ts";
import { phraseOf } from "../harness/agent/phrase-of.ts";
import {
  type EnforcedSight,
  enforcedTable,
  type TamperSight,
  tamperTable,
} from "./enforced-table.ts";
import type { GuestResults } from "./guest/guest-results.ts";
import { guestKernels } from "./guest-kernels.ts";

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

/**
 * A kernel's golden table. golden/debian-6.12.json is a whole one. The file of each other kernel has
 * the differences from the table of its base: a merge patch (RFC 7396).
 */
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

const folder = join(import.meta.dirname, "golden");

/** A kernel's table as it was agreed to. */
export function goldenTable(name: string): KernelTable {
  // Our own file; one of another shape fails its assertions.
  return readGoldenTable(folder, name) as unknown as KernelTable;
}

/** Writes the table of a kernel, as its differences from that of its base. */
export function writeGoldenTable(name: string, table: KernelTable): void {
  const kernelOf = (other: string) => guestKernels.find((kernel) => kernel.name === other);
  writeGoldenTables(folder, { [name]: table }, (other) => kernelOf(other)?.base);
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
