import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { longResult } from "../results/results.ts";
import { Steps } from "../results/steps.ts";
import { buildEngineTests, runEngineTests, sourcesKey } from "./engine-tests.ts";
import { cargo } from "./toolchain/run-cargo.ts";

// Checks the format of engine/, lints and tests it: `bun scripts/engine/check-engine.ts`. A
// toolchain without rustfmt or clippy leaves that part out, and the output says so.
//
// Format, lints and the examples of the documentation depend on the sources alone: those that have
// passed are not checked again. The tests ask the kernel, so they always run.

/** A command of cargo's that judges the sources. */
interface Judgement {
  readonly words: readonly string[];
  readonly own?: readonly string[];
}

/** @throws Error if something is wrong. */
async function checkEngine(): Promise<void> {
  const steps = new Steps((line) => void process.stdout.write(`engine: ${line}\n`));
  await judge(judgements(), steps);
  const tests = await buildEngineTests(steps);
  await steps.run("run the tests", () => runEngineTests(tests));
}

/** Judges the sources, unless the cache knows that these have passed. */
async function judge(all: readonly Judgement[], steps: Steps): Promise<void> {
  const names = all.map(({ words, own = [] }) => [...words, ...own].join(" "));
  const versions = ["fmt", "clippy"].map((command) => versionOf(command) ?? "");
  const key = sourcesKey([...names, ...versions]);
  let judged = false;
  const check = async (folder: string): Promise<void> => {
    judged = true;
    for (const { words, own } of all) {
      const run = { words, ...(own && { own }), say: steps.say };
      await steps.run(`cargo ${words.join(" ")}`, () => cargo(run, () => undefined));
    }
    writeFileSync(join(folder, "passed"), `${names.join("\n")}\n`);
  };
  await longResult({ name: `engine-lints-${process.arch}`, key }, check, steps.say);
  if (!judged) steps.say(`passed before, of these sources: ${names.join("; ")}`);
}

function judgements(): readonly Judgement[] {
  const all: Judgement[] = [];
  if (has("fmt")) all.push({ words: ["fmt", "--all", "--check"] });
  if (has("clippy")) all.push({ words: ["clippy", "--all-targets"], own: ["-D", "warnings"] });
  return [...all, { words: ["test", "--doc"] }];
}

function has(command: "fmt" | "clippy"): boolean {
  if (versionOf(command) !== undefined) return true;
  process.stdout.write(`engine: cargo ${command} is not installed: left out\n`);
  return false;
}

function versionOf(command: string): string | undefined {
  if (Bun.which("cargo") === null) return undefined;
  const { exitCode, stdout } = Bun.spawnSync(["cargo", command, "--version"], { stderr: "ignore" });
  return exitCode === 0 ? stdout.toString() : undefined;
}

await checkEngine();
