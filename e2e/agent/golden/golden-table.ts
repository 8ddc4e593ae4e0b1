import { join } from "node:path";
import type { EventMechanism } from "@svc/agent";
import { readGoldenTable, writeGoldenTables } from "@svc/testing";

/** The events of an attack, and how it ended for the attacker. */
export interface AttackSight {
  readonly seen: readonly string[];
  readonly answer: string;
}

/** The attacks on one kernel, by one mechanism. */
export interface GoldenTable {
  readonly kernel: string;
  readonly mechanism: EventMechanism;
  readonly attacks: Readonly<Record<string, AttackSight>>;
}

/**
 * The newest kernel's table. It is whole, and holds for kernels without a table. The files of other
 * kernels have the differences from it: a merge patch (RFC 7396).
 */
export const NEWEST_TABLE = "linux-6.18-tracing";

const folder = import.meta.dirname;

/** The name of a kernel's table. */
export function tableName({ kernel, mechanism }: Pick<GoldenTable, "kernel" | "mechanism">) {
  const version = /^\d+\.\d+/.exec(kernel)?.[0] ?? kernel;
  return `linux-${version}-${mechanism}`;
}

/** The file of a table. */
export function tablePath(name: string): string {
  return join(folder, `${name}.json`);
}

/** A table as it was agreed to. */
export function goldenTable(name: string): GoldenTable {
  // Our own file; a table of another shape fails its assertions.
  return readGoldenTable(folder, name) as unknown as GoldenTable;
}

/** Writes a kernel's table, as its differences from the newest kernel's. */
export function writeGoldenTable(table: GoldenTable): void {
  writeGoldenTables(folder, { [tableName(table)]: table }, (name) =>
    name === NEWEST_TABLE ? undefined : NEWEST_TABLE,
  );
}
