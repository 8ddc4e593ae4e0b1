/**
 * Runs the wrapper on simulated machines: `bun scripts/simulate.ts [--seeds=1000] [--first=1]
 * [--planted] [--tell] [SEED]`. A seed that breaks a promise is printed with the shortest scenario
 * that still does, and the events of its run. With one SEED it prints the events of that run.
 *
 * `--planted` puts each of the planted faults into the code, and wants each to be found. Exits 1 if
 * a promise is broken, or a fault is not found.
 *
 * `--tell` writes down how each story goes, and removes the files of others. Read the difference.
 */
import { parseArgs } from "node:util";
import {
  compileWrapper,
  firstFailure,
  plant,
  plantedFaults,
  runScenario,
  scenarioOf,
  shrink,
  tellStories,
} from "@svc/simulator";
import { numberOf } from "./simulate/number-of.ts";
import { runOnWorkers } from "./simulate/run-on-workers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string" },
    first: { type: "string", default: "1" },
    planted: { type: "boolean", default: false },
    tell: { type: "boolean", default: false },
  },
});
/** The planted faults get more: each has to be found once. */
const MOST_FOR_A_FAULT = 10_000;
const DEFAULT_SEEDS = 1000;
const say = (text: string) => void process.stdout.write(`${text}\n`);
const [seed] = positionals;

process.exit(await run());

function run(): Promise<number> {
  if (seed !== undefined) return showSeed(numberOf("SEED", seed));
  if (values.tell) return tell();
  return values.planted ? findPlanted() : runSeeds();
}

async function runSeeds(): Promise<number> {
  const count = numberOf("--seeds", values.seeds ?? String(DEFAULT_SEEDS), 1);
  const first = numberOf("--first", values.first);
  const started = performance.now();
  const failed = await runOnWorkers({ first, count });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (failed === undefined) {
    say(`simulate: ${count} seeds from ${first} on keep every promise (${seconds} s)`);
    return 0;
  }
  const { invariant, found } = failed.violation;
  await showSeed(failed.seed);
  // The worker also hears of rejections, which a shown run does not.
  say(`simulate: seed ${failed.seed} breaks a promise: ${invariant}: ${found}`);
  return 1;
}

async function tell(): Promise<number> {
  const names = tellStories(await compileWrapper());
  say(`simulate: ${names.length} stories are written down`);
  return 0;
}

async function showSeed(number: number): Promise<number> {
  const code = await compileWrapper();
  const scenario = scenarioOf(number);
  const { violation } = runScenario(scenario, code);
  const smallest = violation && shrink(scenario, violation, code);
  const { world } = runScenario(smallest?.scenario ?? scenario, code);
  say(JSON.stringify(world.scenario, undefined, 2));
  say(world.trace.lines.join("\n"));
  say(world.log);
  if (smallest === undefined) {
    say(`simulate: seed ${number} keeps every promise`);
    return 0;
  }
  const { invariant, found } = smallest.violation;
  say(`simulate: seed ${number}: ${invariant}: ${found}`);
  return 1;
}

async function findPlanted(): Promise<number> {
  const most = numberOf("--seeds", values.seeds ?? String(MOST_FOR_A_FAULT), 1);
  let missed = 0;
  for (const fault of plantedFaults) {
    const code = await compileWrapper([plant(fault)]);
    const failed = await firstFailure({ first: 1, count: most }, code);
    if (failed === undefined) missed++;
    const result = failed && `seed ${failed.seed}: ${failed.violation.invariant}`;
    say(`simulate: ${fault.name}: ${result ?? `not found in ${most} seeds`}`);
  }
  say(`simulate: ${plantedFaults.length - missed} of ${plantedFaults.length} faults were found`);
  return missed === 0 ? 0 : 1;
}
