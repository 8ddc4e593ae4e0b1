import { readFileSync } from "node:fs";
import type { Programs } from "./compile-programs.ts";
import type { Scenario } from "./scenario.ts";

/** The memory of a supervisor, in KiB; proc_pid_smaps(5). */
export interface MemoryUse {
  readonly name: string;
  /** Everything, pages of files included that other processes share. */
  readonly residentKiB: number;
  /** The memory of this process alone. */
  readonly anonymousKiB: number;
}

const IDLE_MS = 1000;

/** Starts a program that waits, lets its supervisor idle for a second, and reads its memory. */
export async function measureMemory(
  { launcher, program }: Programs,
  { name, command, env }: Scenario,
): Promise<MemoryUse> {
  const child = Bun.spawn([launcher, ...command, program, "wait"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await bytesFrom(child.stdout, 16);
    await Bun.sleep(IDLE_MS);
    const smaps = readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8");
    return {
      name,
      residentKiB: sizeIn(smaps, "Rss"),
      anonymousKiB: sizeIn(smaps, "Anonymous"),
    };
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

/** Returns when that number of bytes has come: both times, so the program runs. */
async function bytesFrom(stream: ReadableStream<Uint8Array>, wanted: number): Promise<void> {
  let count = 0;
  for await (const chunk of stream) {
    count += chunk.length;
    if (count >= wanted) return;
  }
  throw new Error("start a program that waits: it ended");
}

function sizeIn(smaps: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(smaps)?.[1]);
}
