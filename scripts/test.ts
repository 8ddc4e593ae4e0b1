/**
 * Runs the tests of a plan, or steps by their names: `bun scripts/test.ts fast|heavy|…`, `bun
 * scripts/test.ts "launch chains" chaos`. scripts/test/steps.ts has the plans and the steps. Prints the output of each step when it has ended. Then it prints the times of all, the failures
 * once more, and one line of totals. After a failure no other step begins. It exits 1 if a step
 * failed or nothing ran. For an ordinary user one more line says which tests were not run because
 * they need root.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runsAsRoot } from "@svc/testing";
import { failuresIn } from "./test/failures.ts";
import { describeNotRun, forbidsSkipped } from "./test/not-run.ts";
import type { Result } from "./test/run-step.ts";
import { runSteps } from "./test/run-steps.ts";
import { withNeeds } from "./test/schedule.ts";
import { makeTargets, type PlanName, plans, steps } from "./test/steps.ts";
import { type StepTime, slowestTests, timesTable } from "./test/times.ts";
import type { Totals } from "./test/totals.ts";

const root = join(import.meta.dirname, "..");
const asRoot = runsAsRoot();

/** Most tests wait most of the time: more of them run than there are processors. */
const PROCESSORS = 2 * availableParallelism();

process.exit(await run(process.argv.slice(2)));

async function run(words: readonly string[]): Promise<number> {
  const plan = (Object.keys(plans) as PlanName[]).find((name) => name === words[0]);
  const names = plan === undefined ? words : plans[plan];
  const unknown = names.filter((name) => steps.every((step) => step.name !== name));
  if (names.length === 0 || unknown.length > 0) {
    process.stderr.write(
      `usage: bun scripts/test.ts ${Object.keys(plans).join("|")}|STEP …: got "${unknown.join('", "')}"\n` +
        `steps: ${steps.map(({ name }) => name).join(", ")}\n`,
    );
    return 2;
  }
  const wanted = withNeeds(names, steps);
  const results = await runSteps(wanted, { root, asRoot, processors: PROCESSORS });
  process.stdout.write(`\n${timesTable(results.map((result) => timeOf(result)))}\n`);
  const broken = results.filter(({ ok }) => !ok);
  // The runs print thousands of lines after each other: the important ones come last.
  for (const { name, said } of broken) {
    process.stdout.write(`\n== failed: ${name}\n${failuresIn(said)}\n`);
  }
  const totals = results.map((result) => result.totals).reduce(add);
  const { passed, failed, skipped } = totals;
  const notRun = asRoot ? undefined : describeNotRun(results, makeTargets[plan ?? "ci"]);
  process.stdout.write(
    `\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}\n` +
      (notRun === undefined ? "" : `${notRun}\n`),
  );
  // For root a skipped test is a server that is missing: that is a failure here, not a footnote.
  const skips = forbidsSkipped(totals, asRoot);
  const isTested = names.some((name) => steps.find((step) => step.name === name)?.totals);
  return broken.length > 0 || failed > 0 || skips || (isTested && passed === 0) ? 1 : 0;
}

function timeOf({ name, seconds, cpuSeconds, totals, said }: Result): StepTime {
  const tests = totals.passed + totals.failed;
  return { step: name, seconds, cpuSeconds, tests, slowest: slowestTests(said) };
}

function add(a: Totals, b: Totals): Totals {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
