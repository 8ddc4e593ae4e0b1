/**
 * Measures the lines that tests run: `bun scripts/coverage.ts [--files] [--json] [--seeds=1000]
 * [PACKAGE …]`. For the wrapper the simulator counts beside its unit tests. A file that no test
 * loads has no covered line. Exits 1 if a package is below its bar, or if a test fails.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { FOLDER, IS_RUNNER } from "./coverage/count-in-process.ts";
import { type Counts, countStatements } from "./coverage/counted-code.ts";
import { coveredLines, type FileLines, rangesOf, totalOf } from "./coverage/covered-lines.ts";
import { measuredFiles } from "./coverage/measured-files.ts";
import { measured } from "./coverage/packages.ts";
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { lockedModules } from "./needs/locked-modules.ts";
import { numberOf } from "./simulate/number-of.ts";

/** Files that the table names without `--files`. */
const MOST_FILES = 10;
/** The longest that one test may take on a busy machine. */
const TEST_MS = "60000";
const SIMULATED = "wrapper";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    seeds: { type: "string", default: "1000" },
  },
});
const say = (text: string) => void (values.json ? process.stderr : process.stdout).write(text);

process.exit(await run(positionals.length > 0 ? positionals : measured.map(({ name }) => name)));

async function run(names: readonly string[]): Promise<number> {
  const missing = names.filter((name) => measuredFiles(root, [name]).length === 0);
  if (missing.length > 0) {
    process.stderr.write(`coverage: there is no code in packages/${missing.join(", packages/")}\n`);
    return 2;
  }
  ensureNeeds("test");
  const modules = lockedModules(join(import.meta.dirname, "coverage"));
  const results = [];
  for (const name of names) results.push(await measure(name, modules));
  if (values.json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
  return results.every(({ isGood }) => isGood) ? 0 : 1;
}

async function measure(name: string, modules: string) {
  const folder = join(root, "dist/coverage", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const code = await countStatements(root, measuredFiles(root, [name]), modules);
  writeFileSync(join(folder, "files.json"), JSON.stringify(code));
  const failed = [
    await unitTests(name, folder),
    ...(name === SIMULATED ? await simulations(folder) : []),
  ].filter((status) => status !== 0);
  const counts = readdirSync(folder)
    .filter((file) => file.startsWith("counts-"))
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Counts);
  const files = code.map((file) => coveredLines(file, counts));
  const least = measured.find((one) => one.name === name)?.least ?? 0;
  const total = totalOf(files);
  report(name, files, least);
  const isGood = failed.length === 0 && total.percent >= least;
  return { name, ...total, least, isGood, files };
}

/** Processes that a test starts count, too: each of Bun loads the words of BUN_OPTIONS. */
function unitTests(name: string, folder: string): Promise<number> {
  const preload = join(import.meta.dirname, "coverage/count-in-process.ts");
  return logged(
    join(folder, "unit-tests.log"),
    ["test", "--timeout", TEST_MS, `./packages/${name}`],
    {
      BUN_OPTIONS: `--preload=${preload}`,
      [FOLDER]: folder,
      [IS_RUNNER]: "true",
    },
  );
}

function simulations(folder: string): Promise<readonly number[]> {
  const count = numberOf("--seeds", values.seeds);
  const step = Math.min(availableParallelism(), count);
  const worker = join(import.meta.dirname, "coverage/count-simulated.ts");
  return Promise.all(
    Array.from({ length: step }, (_, index) => {
      const seeds = JSON.stringify({ first: 1 + index, count: count - index, step });
      return logged(join(folder, `simulated-${index}.log`), [worker, folder, seeds], {});
    }),
  );
}

async function logged(
  log: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = Bun.spawn([process.execPath, ...words], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", Bun.file(log), Bun.file(log)],
  });
  const status = await child.exited;
  if (status !== 0) process.stderr.write(`coverage: ${words[0]} has failed: ${log}\n`);
  return status;
}

function report(name: string, files: readonly FileLines[], least: number): void {
  const { lines, covered, percent } = totalOf(files);
  const bar = percent < least ? `, less than ${least} %` : "";
  say(`${name}: ${covered} of ${lines} lines, ${percent.toFixed(1)} %${bar}\n`);
  const worst = files
    .filter(({ uncovered }) => uncovered.length > 0)
    .sort((one, other) => other.uncovered.length - one.uncovered.length);
  for (const file of values.files ? worst : worst.slice(0, MOST_FILES)) {
    const { path, uncovered } = file;
    const share = `${uncovered.length} of ${file.lines}`;
    const text = values.files ? `: ${rangesOf(uncovered)}` : "";
    say(`  ${share.padStart(10)} uncovered  ${path}${text}\n`);
  }
}
