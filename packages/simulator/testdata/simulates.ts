/**
 * Runs simulations for a test, and prints one JSON document. In a process apart: the code of a
 * simulated process is left by an error, which the test runner would report.
 */
import { compileWrapper } from "../src/code/wrapper-code.ts";
import { failedScenario, failedSeeds } from "../src/failed-seeds.ts";
import { plantedFaults } from "../src/planted/faults.ts";
import { plant } from "../src/planted/plant.ts";
import { runScenario } from "../src/run-scenario.ts";
import { firstFailure } from "../src/run-seeds.ts";
import { scenarioOf } from "../src/seeded-scenario.ts";
import { shrink } from "../src/shrink.ts";

const [kind, word = ""] = process.argv.slice(2);
const answers: Readonly<Record<string, () => Promise<unknown>>> = {
  ...{ run, survey, find, again },
};
process.on("unhandledRejection", () => undefined);
process.stdout.write(JSON.stringify(await answers[kind ?? ""]?.()));

/** The events and the log of a seed. */
async function run() {
  const { world } = runScenario(scenarioOf(Number(word)), await compileWrapper());
  return { events: world.trace.lines, log: world.log };
}

/** The starts, probes and ends of a number of seeds. */
async function survey() {
  const code = await compileWrapper();
  return Array.from({ length: Number(word) }, (_, seed) => {
    const { world } = runScenario(scenarioOf(seed), code);
    const { starts, health, wrapper } = world;
    return { starts: starts.length, probes: health.answers.length, ending: wrapper.ending };
  });
}

/** The promises that seeds break which have broken some before. */
async function again() {
  const code = await compileWrapper();
  return failedSeeds.flatMap((failed) => {
    const { violation } = runScenario(failedScenario(failed), code);
    return violation === undefined ? [] : [{ ...failed, violation }];
  });
}

/** The first seed that finds a planted fault, and its smallest scenario. */
async function find() {
  const fault = plantedFaults.find(({ name }) => name === word);
  if (fault === undefined) throw new Error(`there is no fault "${word}"`);
  const code = await compileWrapper([plant(fault)]);
  const failed = await firstFailure({ first: 1, count: 200 }, code);
  if (failed === undefined) return { found: false };
  const before = scenarioOf(failed.seed);
  const smallest = shrink(before, failed.violation, code);
  const again = runScenario(smallest.scenario, code).violation;
  return { found: true, violation: failed.violation, before, smallest, again };
}
