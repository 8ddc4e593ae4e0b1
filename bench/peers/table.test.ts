import { describe, expect, test } from "bun:test";
import { noCopies } from "./count-copies.ts";
import type { Found } from "./search-tree.ts";
import { type Row, range, renderRows } from "./table.ts";

const nothing: Found = {
  processes: 0,
  tool: noCopies,
  application: noCopies,
  environ: noCopies,
  commandLines: noCopies,
  files: noCopies,
};

describe("a range of counts", () => {
  const rows: readonly (readonly [counts: readonly number[], text: string])[] = [
    [[3], "3"],
    [[3, 3, 3], "3"],
    [[5, 3, 4], "3–5"],
    [[0, 1], "0–1"],
  ];
  for (const [counts, text] of rows) {
    test(`of ${counts.join(", ")} is ${text}`, () => {
      expect(range(counts)).toBe(text);
    });
  }
});

describe("the table", () => {
  const about = { name: "agent", version: "1.2.3", use: "as documented" };

  test("has each column's range over the runs of a peer", () => {
    const runs = [
      { ...nothing, processes: 1, tool: { value: 4, token: 9, bytes: 3 << 20 } },
      { ...nothing, processes: 1, tool: { value: 6, token: 9, bytes: 3 << 20 } },
    ];
    const text = renderRows([{ ...about, outcome: { kind: "measured", runs } }]);
    expect(text).toContain("| agent 1.2.3 | 1 | 4–6 | 9 | 0 | 0 | 0 | 0 | 0 | 0 | 3 |");
    expect(text).toContain("- agent: as documented.");
  });

  test("leaves out a peer that did not run, and says why", () => {
    const row: Row = { ...about, outcome: { kind: "failed", reason: "no such module" } };
    const text = renderRows([row]);
    expect(text).not.toContain("| agent");
    expect(text).toContain("- agent: not measured: no such module.");
  });
});
