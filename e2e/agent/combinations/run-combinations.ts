/**
 * Tries combined attacks against an agent that stops attempts, and against one that only reports
 * them: `bun e2e/agent/combinations/run-combinations.ts [--only=REGEX] [--count=N] [--seed=N]
 * [--mode=enforce|detect] [--json]`, as root, on a machine that only these tests use. Prints a
 * table of verdicts, then the holes: silent ones of both, and all loot of the agent that stops.
 */
import { stderr, stdout } from "node:process";
import { parseArgs } from "node:util";
import { type Combination, listCombinations, sampleCombinations } from "@svc/testing";
import { type CombinationSight, type Mode, startCombinationStage } from "./combination-stage.ts";

/** How many runs an agent has before the next one begins. */
const RUNS = 100;

/** On a busy machine an attack may not come about: it finds nothing, and there is nothing to see. */
const MOST_TRIES = 3;

const modes: readonly Mode[] = ["enforce", "detect"];

/** The sights of one mode, by the names of combinations. */
export type Sights = ReadonlyMap<string, CombinationSight>;

if (import.meta.main) await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      count: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      mode: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const only = new RegExp(values.only);
  const wanted = listCombinations().filter(({ name }) => only.test(name));
  const chosen = sampleCombinations(wanted, Number(values.count), Number(values.seed));
  const asked = modes.filter((mode) => values.mode === undefined || values.mode === mode);
  const sights = new Map<Mode, Sights>();
  for (const mode of asked) sights.set(mode, await runCombinations(chosen, mode, tellOf(mode)));
  stdout.write(values.json ? jsonOf(sights) : tableOf(chosen, sights));
}

/** Each combination has a new victim; an agent sees many of them. */
export async function runCombinations(
  combinations: readonly Combination[],
  mode: Mode,
  tell: (name: string, sight: CombinationSight) => void = () => undefined,
): Promise<Sights> {
  const sights = new Map<string, CombinationSight>();
  for (let first = 0; first < combinations.length; first += RUNS) {
    await using stage = await startCombinationStage(mode);
    for (const combination of combinations.slice(first, first + RUNS)) {
      let sight = await stage.run(combination);
      for (let tries = 1; tries < MOST_TRIES && sight.verdict === "harmless"; tries += 1) {
        sight = await stage.run(combination);
      }
      sights.set(combination.name, sight);
      tell(combination.name, sight);
    }
  }
  return sights;
}

function tellOf(mode: Mode) {
  return (name: string, { verdict, kinds, answer }: CombinationSight) => {
    const { finds, killed, tries, afterDeath, error } = answer;
    const facts = `${finds} finds, ${killed} of ${tries} killed, ${afterDeath} after death`;
    stderr.write(`${mode} ${verdict.padEnd(8)} ${name}: ${facts} ${error} ${kinds.join(" ")}\n`);
  };
}

function jsonOf(sights: ReadonlyMap<Mode, Sights>): string {
  const tables = [...sights].map(([mode, table]) => [mode, Object.fromEntries(table)]);
  return `${JSON.stringify(Object.fromEntries(tables), null, 2)}\n`;
}

/** A row has one goal, its target and its time; a hole has its whole name. */
function tableOf(chosen: readonly Combination[], sights: ReadonlyMap<Mode, Sights>): string {
  const lines: string[] = [];
  for (const [mode, table] of sights) {
    lines.push(`${mode}: silent, seen, stopped, harmless`);
    const rows = Map.groupBy(chosen, ({ goal, target, time }) => `${goal} ${target} ${time}`);
    for (const [row, members] of rows) lines.push(`  ${row}: ${countsOf(members, table)}`);
    lines.push(`  all: ${countsOf(chosen, table)}`, `holes with ${mode}:`);
    lines.push(...holesOf(mode, table).map((hole) => `  ${hole}`));
  }
  return `${lines.join("\n")}\n`;
}

function countsOf(members: readonly Combination[], table: Sights): string {
  const verdicts = members.map(({ name }) => table.get(name)?.verdict);
  return (["silent", "seen", "stopped", "harmless"] as const)
    .map((verdict) => verdicts.filter((each) => each === verdict).length)
    .join(", ");
}

function holesOf(mode: Mode, table: Sights): readonly string[] {
  return [...table]
    .filter(([, { verdict }]) => verdict === "silent" || (verdict === "seen" && mode === "enforce"))
    .map(([name, { verdict }]) => `${verdict} ${name}`);
}
