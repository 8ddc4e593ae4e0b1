/**
 * Runs seeds of the simulator with code that counts its statements, and writes the seeds that reach
 * each line: `{"path": {"line": [seed, …]}}`. A worker of mutation.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { compileWrapper, firstFailure } from "@svc/simulator";
import { COUNTS, type CountedFile, type Counts, countingPlugin } from "../coverage/counted-code.ts";

/** The seeds that reach lines, by files. */
export type Reached = Record<string, Record<number, number[]>>;

if (import.meta.main) {
  const root = join(import.meta.dirname, "../..");
  // The words of mutation.ts.
  const [input = "", output = "", first = "", count = "", step = ""] = process.argv.slice(2);
  const files = JSON.parse(readFileSync(input, "utf8")) as readonly CountedFile[];
  const code = await compileWrapper([countingPlugin(root, files)]);
  const reached: Reached = {};
  for (let seed = Number(first); seed <= Number(count); seed += Number(step)) {
    const failed = await firstFailure({ first: seed, count: 1 }, code);
    if (failed !== undefined) throw new Error(`seed ${seed} finds ${failed.violation.found}`);
    const counts = ((globalThis as Record<string, unknown>)[COUNTS] ?? {}) as Counts;
    for (const file of files) note(file, counts, seed, reached);
  }
  writeFileSync(output, JSON.stringify(reached));
}

/** Takes the counts of a file, and begins them again at 0. */
function note({ path, lines }: CountedFile, counts: Counts, seed: number, reached: Reached): void {
  const own = counts[path]?.s as Record<number, number> | undefined;
  if (own === undefined) return;
  reached[path] ??= {};
  const known = reached[path];
  for (const [index, line] of lines.entries()) {
    known[line] ??= [];
    if ((own[index] ?? 0) === 0) continue;
    own[index] = 0;
    if (known[line].at(-1) !== seed) known[line].push(seed);
  }
}
