import { describe, expect, test } from "bun:test";
import { type BenchOptions, readOptions } from "./options.ts";

describe("readOptions", () => {
  const rows: readonly (readonly [words: readonly string[], options: BenchOptions | undefined])[] =
    [
      [[], { budgetMs: 45_000, only: [] }],
      [["--quick"], { budgetMs: 8_000, only: [] }],
      [["--json", "out.json"], { budgetMs: 45_000, only: [], jsonPath: "out.json" }],
      [["--beside", "before"], { budgetMs: 45_000, only: [], besidePath: "before" }],
      [["--only", "TLS", "--only", "1 path"], { budgetMs: 45_000, only: ["TLS", "1 path"] }],
      [["--json"], undefined],
      [["--slow"], undefined],
      [["more"], undefined],
    ];
  for (const [words, options] of rows) {
    test(`${options === undefined ? "refuses" : "reads"} ${JSON.stringify(words)}`, () => {
      expect(readOptions(words)).toEqual(options);
    });
  }
});
