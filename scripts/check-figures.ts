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
/** A path alone, and not a document, which is read anyway. */
const isFile = /^[\w./-]+\.(?:yaml|mod|ts)$/;

exit(await run());

async function run(): Promise<number> {
  const { figures }: { readonly figures: readonly Figure[] } = JSON.parse(
    await readFile(join(root, "docs/figures.json"), "utf8"),
  );
  const sources = await readSources(figures);
  const documents = [...(await readDocuments()), ...sources];
  const findings = compareFigures(figures, documents, new Set([...dated, ...pathsOf(sources)]));
  for (const { path, line, message } of findings) stderr.write(`${path}:${line}: ${message}\n`);
  return findings.length === 0 ? 0 : 1;
}

/** The files that figures come from: a chart, a module, the code of a version. */
async function readSources(figures: readonly Figure[]): Promise<readonly Document[]> {
  const paths = new Set(
    figures.map(({ source }) => source).filter((source) => isFile.test(source)),
  );
  return await Promise.all([...paths].map(readDocument));
}

function pathsOf(documents: readonly Document[]): readonly string[] {
  return documents.map(({ path }) => path);
}

async function readDocument(path: string): Promise<Document> {
  return { path, text: await readFile(join(root, path), "utf8") };
}

async function readDocuments(): Promise<readonly Document[]> {
  const found = new Bun.Glob("**/*.md").scanSync({ cwd: root, dot: true });
  const paths = [...found].filter((path) => !leftOut.test(path)).toSorted();
  return await Promise.all(paths.map(readDocument));
}
