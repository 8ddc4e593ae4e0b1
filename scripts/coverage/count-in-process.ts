/** Loaded before everything else into each process of unit tests: counts its statements. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { plugin } from "bun";
import { COUNTS, countingPlugin } from "./counted-code.ts";

/** The variable with the folder that has `files.json`, and gets the counts. */
export const FOLDER = "SVC_COVERAGE_FOLDER";
/** The variable that only the test runner has. */
export const IS_RUNNER = "SVC_COVERAGE_RUNNER";

const folder = process.env[FOLDER];
if (folder !== undefined) {
  const root = join(import.meta.dirname, "../..");
  plugin(countingPlugin(root, JSON.parse(readFileSync(join(folder, "files.json"), "utf8"))));
  const write = () => writeCounts(folder);
  // The test runner ends without the event, and has its own; other processes have only the event.
  const isRunner = process.env[IS_RUNNER] !== undefined && (await writesBehindTests(write));
  if (!isRunner) process.on("exit", write);
  delete process.env[IS_RUNNER];
}

/** False in a process that a test has started: Bun.spawn hands variables on that are deleted here. */
async function writesBehindTests(write: () => void): Promise<boolean> {
  const { afterAll } = await import("bun:test");
  try {
    afterAll(write);
    return true;
  } catch {
    return false;
  }
}

function writeCounts(folder: string): void {
  const counts = (globalThis as Record<string, unknown>)[COUNTS];
  if (counts === undefined) return;
  // Numbers of processes come again.
  const name = `counts-${process.pid}-${crypto.randomUUID()}.json`;
  writeFileSync(join(folder, name), JSON.stringify(counts));
}
