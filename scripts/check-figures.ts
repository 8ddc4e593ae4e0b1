/**
 * Compares the figures that several documents give with docs/figures.json:
 * `bun scripts/check-figures.ts`. Fails if a document gives another figure, and prints each place.
 * Decisions and the changelog are left out: they give the figures of their date.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exit, stderr } from "node:process";
import { compareFigures, type Document, type Figure } from "./check-figures/compare-figures.ts";

const root = join(import.meta.dirname, "..");
const leftOut =
  /(^|\/)(node_modules|target|dist|vectors)\/|^docs\/decisions\/\d|^CHANGELOG\.md$|THIRD-PARTY/;
/** Documents with the results of dated runs. */
const dated = new Set(["bench/README.md", "docs/comparison.md", "docs/reliability.md"]);

exit(await run());

async function run(): Promise<number> {
  const { figures }: { readonly figures: readonly Figure[] } = JSON.parse(
    await readFile(join(root, "docs/figures.json"), "utf8"),
  );
  const findings = compareFigures(figures, await readDocuments(), dated);
  for (const { path, line, message } of findings) stderr.write(`${path}:${line}: ${message}\n`);
  return findings.length === 0 ? 0 : 1;
}

async function readDocuments(): Promise<readonly Document[]> {
  const found = new Bun.Glob("**/*.md").scanSync({ cwd: root, dot: true });
  const paths = [...found].filter((path) => !leftOut.test(path)).toSorted();
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })),
  );
}
