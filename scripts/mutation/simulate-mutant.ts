/**
 * Runs seeds of the simulator with one mutant; a worker of mutation.ts. It prints a line for each
 * seed, and `found: …` for a broken promise.
 */
import { join } from "node:path";
import process from "node:process";
import { compileWrapper, firstFailure } from "@svc/simulator";
import { mutantPlugin } from "./mutant-plugin.ts";

if (import.meta.main) {
  const root = join(import.meta.dirname, "../..");
  // The words of judge-mutant.ts.
  const [mutant = "", list = "[]"] = process.argv.slice(2);
  const code = await compileWrapper([mutantPlugin(root, JSON.parse(mutant))]);
  for (const seed of JSON.parse(list) as readonly number[]) {
    const failed = await firstFailure({ first: seed, count: 1 }, code);
    if (failed !== undefined) {
      process.stdout.write(`found: ${failed.violation.invariant}, seed ${seed}\n`);
      process.exit(0);
    }
    process.stdout.write(`${seed}\n`);
  }
}
