/**
 * Checks the language of documents, comments, test names and messages with Vale:
 * `bun scripts/check-prose.ts [--lower | --table | PATH …]`. Fails when an area has more findings than
 * `prose-budget.json` allows. `--lower` writes the lowest budget that holds now.
 * `--table` prints findings for each 10,000 words. With paths it prints the findings below these.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { cacheFolder, temporaryFolder } from "@svc/testing";
import { countByArea, densityLines } from "./check-prose/area-counts.ts";
import { areaOf, type Budget, budgetProblems, lowered } from "./check-prose/budget.ts";
import { type Finding, findProse, readProse } from "./check-prose/find-prose.ts";
import { buildVale } from "./vale/build-vale.ts";

const root = join(import.meta.dirname, "..");
const budgetFile = join(import.meta.dirname, "prose-budget.json");

/** The findings of an area with more are printed only where its path is given. */
const PRINTED = 40;

exit(await run(argv.slice(2)));

async function run(words: readonly string[]): Promise<number> {
  const say = (line: string) => void stderr.write(`check-prose: ${line}\n`);
  const vale = await buildVale(cacheFolder(env), env, say);
  using folder = temporaryFolder();
  const texts = await readProse(root);
  const found = await findProse(vale, folder.path, texts);
  const budget: Budget = JSON.parse(await readFile(budgetFile, "utf8"));
  if (words[0] === "--table") {
    for (const line of densityLines(found, texts, budget)) stdout.write(`${line}\n`);
    return 0;
  }
  if (words.length > 0 && words[0] !== "--lower") {
    return print(found.filter(({ path }) => words.some((word) => path.startsWith(word))));
  }
  return await compare(found, budget, words[0] === "--lower");
}

async function compare(found: readonly Finding[], old: Budget, lower: boolean): Promise<number> {
  const counts = countByArea(found, old);
  const budget = lower ? lowered(counts, old) : old;
  if (lower) await writeFile(budgetFile, `${JSON.stringify(budget, null, 2)}\n`);
  const problems = budgetProblems(counts, budget);
  for (const area of Object.keys(counts)) {
    const here = found.filter(({ path }) => (areaOf(path, budget) ?? path) === area);
    if (here.length > (budget[area] ?? 0) && here.length <= PRINTED) print(here);
  }
  for (const problem of problems) stderr.write(`scripts/prose-budget.json: ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

function print(found: readonly Finding[]): number {
  for (const { path, line, rule, message } of found) {
    stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
  }
  return found.length === 0 ? 0 : 1;
}
