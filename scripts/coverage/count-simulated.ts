/** Runs seeds of the simulator with code that counts its statements; a worker of coverage.ts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { compileWrapper, firstFailure, type Seeds } from "@svc/simulator";
import { COUNTS, countingPlugin } from "./counted-code.ts";

if (import.meta.main) {
  const root = join(import.meta.dirname, "../..");
  // The words of coverage.ts.
  const [folder = "", seeds = "{}"] = process.argv.slice(2);
  const files = JSON.parse(readFileSync(join(folder, "files.json"), "utf8"));
  const code = await compileWrapper([countingPlugin(root, files)]);
  const { first, count, step = 1 } = JSON.parse(seeds) as Seeds;
  const failed = await firstFailure({ first, count, step }, code);
  const counts = (globalThis as Record<string, unknown>)[COUNTS];
  writeFileSync(join(folder, `counts-simulated-${first}.json`), JSON.stringify(counts));
  if (failed !== undefined) {
    process.stderr.write(`seed ${failed.seed} breaks a promise: ${failed.violation.found}\n`);
    process.exit(1);
  }
}
