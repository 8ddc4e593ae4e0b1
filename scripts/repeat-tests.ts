/**
 * Runs test steps several times on a busy machine, and counts the failures: `bun
 * scripts/repeat-tests.ts [--times=5] [--load=8] [--together] [STEP …]`. A step is a name of
 * scripts/test/steps.ts, by default each that runs tests, besides those of QEMU on all kernels. The
 * steps that they need run first, once and without load. Each round runs one step after the other.
 *
 * The load is processes that use a processor each. They end with this one, and by themselves after
 * an hour. With `--together` the steps themselves are the load: as many of them run at once. It
 * takes a fraction of the time, and passes over steps that want to be alone. Exits 1 if a test
 * failed in any round.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runsAsRoot } from "@svc/testing";
import { failedTests } from "./test/failures.ts";
import { makeLoad } from "./test/make-load.ts";
import { type Result, runStep } from "./test/run-step.ts";
import { runSteps } from "./test/run-steps.ts";
import { type Step, withNeeds } from "./test/schedule.ts";
import { steps } from "./test/steps.ts";

const root = join(import.meta.dirname, "..");
const asRoot = runsAsRoot();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "5" },
    load: { type: "string", default: "8" },
    together: { type: "boolean", default: false },
  },
});
const times = numberOf("times", values.times);
const load = numberOf("load", values.load);
const repeated = stepsToRepeat(positionals);

process.exit(await repeat());

async function repeat(): Promise<number> {
  const needed = repeated.flatMap(({ needs = [] }) => needs);
  for (const step of withNeeds(needed, steps)) {
    const { ok } = await runStep(step, root, asRoot);
    if (!ok) return 1;
  }
  const failures = new Map<string, number>();
  const runRound = values.together ? runTogether : runInTurn;
  for (let round = 1; round <= times; round++) {
    for (const name of await runRound(round)) failures.set(name, (failures.get(name) ?? 0) + 1);
  }
  process.stdout.write(`\n${times} rounds of ${repeated.length} steps at a load of ${load}\n`);
  for (const [name, count] of failures) process.stdout.write(`${count} of ${times}: ${name}\n`);
  if (failures.size === 0) process.stdout.write("no test failed\n");
  return failures.size === 0 ? 0 : 1;
}

/** Runs the steps one after the other under load, and gives the names of their failures. */
async function runInTurn(round: number): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const step of repeated) {
    using _ = makeLoad(load);
    failures.push(...failuresOf(await runStep(step, root, asRoot), round));
  }
  return failures;
}

/** Runs as many steps at once as the load asks for, and gives the names of their failures. */
async function runTogether(round: number): Promise<readonly string[]> {
  const done = steps.map(({ name }) => name);
  const options = { root, asRoot, processors: load, done, goesOn: true };
  const results = await runSteps(repeated, options);
  return results.flatMap((result) => failuresOf(result, round));
}

function failuresOf({ name, ok, seconds, said }: Result, round: number): readonly string[] {
  const result = `${ok ? "passed" : "FAILED"} after ${seconds.toFixed(0)} s`;
  process.stderr.write(`round ${round}: ${name}: ${result}\n`);
  if (ok) return [];
  const failed = failedTests(said);
  return failed.length > 0 ? failed : [`${name}: the step itself`];
}

function stepsToRepeat(names: readonly string[]): readonly Step[] {
  const tested = steps.filter(
    ({ name, totals, alone }) =>
      totals !== undefined && name !== "agent on kernels" && !(values.together && alone),
  );
  if (names.length === 0) return tested;
  const unknown = names.filter((name) => tested.every((step) => step.name !== name));
  if (unknown.length > 0) {
    const known = tested.map(({ name }) => `"${name}"`).join(", ");
    process.stderr.write(`repeat-tests: there is no step ${unknown.join(", ")}: known: ${known}\n`);
    process.exit(2);
  }
  return tested.filter(({ name }) => names.includes(name));
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 100) return number;
  process.stderr.write(`repeat-tests: --${name} must be a number up to 100: got "${text}"\n`);
  process.exit(2);
}
