import { expect, test } from "bun:test";
import { compareFigures, type Figure } from "./compare-figures.ts";

const memory: Figure = {
  name: "memory",
  value: "4.0 MB",
  source: "bench/run.ts",
  phrases: ["An idle wrapper has {} resident", "| wrapper | {} |"],
};
const agreeing = { path: "README.md", text: "# Sizes\n\n| wrapper | 4.0 MB |\n" };
const sentence = (figure: string) => ({
  path: "docs/guide.md",
  text: `# Memory\n\nAn idle wrapper\nhas ${figure} resident.\n`,
});

test("documents that agree have no finding", () => {
  expect(compareFigures([memory], [agreeing, sentence("4.0\nMB")])).toEqual([]);
});

test.each(["5.3 MB", "4.0 MiB", "4.0 to 5.0 MB", "4"])("another figure is found: %s", (figure) => {
  expect(compareFigures([memory], [agreeing, sentence(figure)])).toEqual([
    {
      path: "docs/guide.md",
      line: 4,
      message: `memory: got "${figure}", want "4.0 MB" (docs/figures.json)`,
    },
  ]);
});

test("a phrase that no document has is found", () => {
  expect(compareFigures([memory], [agreeing])).toEqual([
    {
      path: "docs/figures.json",
      line: 1,
      message: 'memory: no document has the phrase "An idle wrapper has {} resident"',
    },
  ]);
});

test("the figure in other words is found, unless the document is a measurement", () => {
  const other = {
    path: "docs/other.md",
    text: "It takes\n4.0 MB, and 14.0 MB, and 3 to 4.0 MB.\n",
  };
  const documents = [agreeing, sentence("4.0 MB"), other];
  expect(compareFigures([memory], documents)).toEqual([
    {
      path: "docs/other.md",
      line: 2,
      message: "memory: add these words to docs/figures.json, or link to the figure",
    },
  ]);
  expect(compareFigures([memory], documents, new Set(["docs/other.md"]))).toEqual([]);
});

test("a version is compared in its phrases only", () => {
  const go = { ...memory, name: "Go", value: "1.26", phrases: ["gcc and Go {}"] };
  const documents = [{ path: "README.md", text: "gcc and Go 1.26.\nIt was 1.26 before.\n" }];
  expect(compareFigures([go], documents)).toEqual([]);
});
