/**
 * Changes the code in small ways, one at a time, and looks whether a test notices: `bun
 * scripts/mutation.ts [--sample=60] [--seed=1] [--seeds=1000] [FOLDER …]`. The seed chooses the sample
 * among all changes of all source files below the folders (of packages/; `wrapper/src` by default).
 * The unit tests that load the file come first, and then the simulator with the seeds that reach
 * the line. It prints the changes that no test noticed, and exits 1 if tests notice fewer than
 * LEAST_PERCENT.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { countStatements } from "./coverage/counted-code.ts";
import { measuredFiles } from "./coverage/measured-files.ts";
import { allMutants } from "./mutation/all-mutants.ts";
import { failsUnitTests, judgeMutant, type Verdict } from "./mutation/judge-mutant.ts";
import { kindOf, type Mutant, sampleOf, textOf } from "./mutation/mutant.ts";
import type { Reached } from "./mutation/reached-lines.ts";
import { lockedModules } from "./needs/locked-modules.ts";
import { numberOf } from "./simulate/number-of.ts";
import { testsByFile } from "./test/find-affected.ts";

/** The least share of noticed changes. Some change nothing that a caller can see. */
const LEAST_PERCENT = 90;
const DEFAULT_FOLDER = "wrapper/src";

const root = join(import.meta.dirname, "..");
const work = join(root, "dist/mutation");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1000" },
  },
});
const say = (text: string) => void process.stdout.write(`mutation: ${text}\n`);

process.exit(await run(positionals.length > 0 ? positionals : [DEFAULT_FOLDER]));

async function run(folders: readonly string[]): Promise<number> {
  const paths = folders.flatMap(filesBelow);
  if (paths.length === 0) {
    process.stderr.write(`mutation: there is no code in packages/${folders.join(", packages/")}\n`);
    return 2;
  }
  const modules = lockedModules(join(import.meta.dirname, "mutation"));
  const all = await allMutants(root, paths, modules);
  const size = numberOf("--sample", values.sample, 1);
  const sample = sampleOf(all, size, numberOf("--seed", values.seed));
  say(`${sample.length} of ${all.length} changes of ${paths.length} files`);
  const reached = await reachedLines([...new Set(sample.map(({ path }) => path))]);
  const testsOf = testsByFile(root);
  const tests = new Set(sample.flatMap((mutant) => unitTestsOf(mutant, testsOf)));
  if (tests.size > 0 && (await failsUnitTests([...tests], root))) {
    process.stderr.write("mutation: unit tests fail without a change, too\n");
    return 2;
  }
  const waiting = [...sample];
  const verdicts: { readonly mutant: Mutant; readonly verdict: Verdict }[] = [];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const tests = unitTestsOf(mutant, testsOf);
      const verdict = await judgeMutant(mutant, { root, tests, reached });
      verdicts.push({ mutant, verdict });
      say(`${verdict}: ${textOf(mutant, readFileSync(join(root, mutant.path), "utf8"))}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return report(verdicts);
}

function filesBelow(folder: string): readonly string[] {
  const [name = ""] = folder.split("/");
  return measuredFiles(root, [name]).filter((path) => path.startsWith(`packages/${folder}`));
}

/** The tests that load the file, on Bun, and belong to its package. */
function unitTestsOf({ path }: Mutant, testsOf: (path: string) => readonly string[]) {
  const [own = ""] = /^packages\/[^/]+\//.exec(path) ?? [];
  return testsOf(path).filter((test) => test.startsWith(own) && test.endsWith(".test.ts"));
}

/** The seeds of the simulator that reach each line. They keep every promise without a change. */
async function reachedLines(paths: readonly string[]): Promise<Reached> {
  const modules = lockedModules(join(import.meta.dirname, "coverage"));
  const files = await countStatements(root, paths, modules);
  mkdirSync(work, { recursive: true });
  const input = join(work, "files.json");
  writeFileSync(input, JSON.stringify(files));
  const count = numberOf("--seeds", values.seeds, 1);
  const workers = Math.min(availableParallelism(), count);
  const parts = await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const output = join(work, `reached-${index}.json`);
      const worker = join(import.meta.dirname, "mutation/reached-lines.ts");
      const numbers = [1 + index, count, workers].map(String);
      const child = Bun.spawn([process.execPath, worker, input, output, ...numbers], {
        stdio: ["ignore", "inherit", "inherit"],
      });
      if ((await child.exited) !== 0) throw new Error("the code breaks a promise unchanged");
      return JSON.parse(readFileSync(output, "utf8")) as Reached;
    }),
  );
  return joined(parts);
}

function joined(parts: readonly Reached[]): Reached {
  const all: Reached = {};
  for (const [path, lines] of parts.flatMap((part) => Object.entries(part))) {
    all[path] ??= {};
    for (const [line, seeds] of Object.entries(lines)) {
      all[path][Number(line)] = [...(all[path][Number(line)] ?? []), ...seeds];
    }
  }
  return all;
}

function report(
  verdicts: readonly { readonly mutant: Mutant; readonly verdict: Verdict }[],
): number {
  const valid = verdicts.filter(({ verdict }) => verdict !== "invalid");
  let isGood = true;
  for (const kind of ["pure", "effect"] as const) {
    const own = valid.filter(({ mutant }) => kindOf(mutant.path) === kind);
    if (own.length === 0) continue;
    const by = (wanted: Verdict) => own.filter(({ verdict }) => verdict === wanted).length;
    const percent = (100 * (own.length - by("survived"))) / own.length;
    isGood &&= percent >= LEAST_PERCENT;
    const parts = `unit tests ${by("unit tests")}, simulator ${by("simulator")}`;
    const survived = `survived ${by("survived")}`;
    say(`${kind} files: ${percent.toFixed(1)} % of ${own.length}: ${parts}, ${survived}`);
  }
  return isGood ? 0 : 1;
}
