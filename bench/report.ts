import { cpus, release } from "node:os";
import type { MemoryUse } from "./measure-memory.ts";
import type { Scenario } from "./scenario.ts";
import { type Summary, summarise } from "./statistics.ts";

/** The samples of one scenario in milliseconds. */
export interface Measured {
  readonly scenario: Scenario;
  readonly samplesMs: readonly number[];
}

/** A line of the report. */
export interface ReportedTime extends Summary {
  readonly name: string;
  /** The median without that of the bare program. */
  readonly overBareMs: number;
  /** The median as a multiple of the bare program's. */
  readonly timesBare: number;
  readonly storeDelayMs: number;
}

/** Everything that was measured. */
export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly times: readonly ReportedTime[];
  readonly memory: readonly MemoryUse[];
}

/** Compares every scenario with the first, the bare program. */
export function makeReport(
  measured: readonly Measured[],
  memory: readonly MemoryUse[],
  date: Date,
): Report {
  const rows = measured.map(({ scenario, samplesMs }) => ({
    name: scenario.name,
    storeDelayMs: scenario.storeDelayMs,
    ...summarise(samplesMs),
  }));
  const bare = rows[0]?.median ?? 0;
  return {
    date: date.toISOString(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}, Linux ${release()}`,
    times: rows.map((row) => ({
      ...row,
      overBareMs: row.median - bare,
      timesBare: row.median / bare,
    })),
    memory,
  };
}

/** The report as two tables in Markdown. */
export function renderReport({ date, machine, times, memory }: Report): string {
  const timeRows = times.map(({ name, count, min, median, p95, overBareMs, timesBare }) => [
    name,
    ...[median, min, p95, overBareMs].map((ms) => ms.toFixed(2)),
    timesBare.toFixed(1),
    String(count),
  ]);
  const memoryRows = memory.map(({ name, residentKiB, anonymousKiB }) => [
    name,
    ...[residentKiB, anonymousKiB].map((size) => (size / 1024).toFixed(2)),
  ]);
  const timeHead = ["exec to first instruction, ms", "median", "min", "p95"];
  return [
    `${date}, ${machine}`,
    table([[...timeHead, "over bare", "× bare", "runs"], ...timeRows]),
    table([["supervisor after 1 s idle, MiB", "resident", "anonymous"], ...memoryRows]),
  ].join("\n\n");
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join(" | ")} |`;
  const rule = widths.map((width, column) => `${"-".repeat(width - 1)}${column === 0 ? "-" : ":"}`);
  return [line(head), line(rule), ...rows.slice(1).map(line)].join("\n");
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
