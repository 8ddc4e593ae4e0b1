/** Runs the seeds of one worker of scripts/simulate.ts, and prints the first that fails. */
import { compileWrapper, firstFailure, type Seeds } from "@svc/simulator";

if (import.meta.main) {
  // The words of run-on-workers.ts.
  const seeds = JSON.parse(process.argv[2] ?? "{}") as Seeds;
  const failed = await firstFailure(seeds, await compileWrapper());
  process.stdout.write(JSON.stringify({ failed: failed ?? null }));
}
