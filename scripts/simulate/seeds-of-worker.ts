/** Runs the seeds of one worker of scripts/simulate.ts, and prints the first that fails. */
import { compileWrapper, firstFailure } from "@svc/simulator";

/** The seeds of one worker. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly step?: number;
}

if (import.meta.main) {
  // The words of run-on-workers.ts.
  const seeds = JSON.parse(process.argv[2] ?? "{}") as Seeds;
  const failed = await firstFailure(seeds, await compileWrapper());
  process.stdout.write(JSON.stringify({ failed: failed?.seed ?? null }));
}
