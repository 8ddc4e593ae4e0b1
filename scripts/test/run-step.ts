import { join } from "node:path";
import { goEnvironment } from "../go/go-command.ts";
import { readGoReport } from "./go-totals.ts";
import { hasTested } from "./not-run.ts";
import type { Step } from "./schedule.ts";
import { parseTotals, type Totals } from "./totals.ts";

/** How a step has ended. */
export interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly totals: Totals;
  /** Its output, for people. */
  readonly said: string;
}

/** Runs a step to its end, and prints its output then. */
export async function runStep(step: Step, root: string, asRoot: boolean): Promise<Result> {
  const { name, command, folder = ".", live, totals: kind } = step;
  const started = performance.now();
  const child = Bun.spawn([...command], {
    cwd: join(root, folder),
    // The race detector is C.
    ...(kind === "go" && { env: { ...goEnvironment(process.env), CGO_ENABLED: "1" } }),
    stdout: "pipe",
    stderr: live ? "inherit" : "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    live ? "" : new Response(child.stderr).text(),
  ]);
  const exitCode = await child.exited;
  const seconds = (performance.now() - started) / 1000;
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  const { totals, text } =
    kind === "go" ? readGoReport(out) : { totals: parseTotals(err), text: out };
  const said = text + err;
  process.stdout.write(`\n== ${name} (${seconds.toFixed(1)} s, exit ${exitCode})\n${said}`);
  const untested = kind !== undefined && !hasTested(totals, asRoot);
  if (untested) process.stdout.write(`${name}: no test has passed\n`);
  return { name, ok: exitCode === 0 && !untested, seconds, cpuSeconds, totals, said };
}
