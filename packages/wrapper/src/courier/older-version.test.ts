import { expect, test } from "bun:test";
import { olderVersion } from "./older-version.ts";

const at = (version: number, second: number) => ({
  path: "kv/data/app",
  version,
  createdTime: `2026-01-01T00:00:0${second}.123456789Z`,
  by: "metadata" as const,
});
const { path } = at(0, 0);
const rows = [
  ["the same", at(3, 3), at(3, 3), undefined],
  ["a newer one", at(3, 3), at(4, 4), undefined],
  ["an older one", at(3, 3), at(2, 2), path],
  ["a lower one of a vault that starts counting again", at(3, 3), at(2, 4), undefined],
  ["one without a version", at(3, 3), { path, by: "values" as const }, undefined],
  ["a pinned one", at(3, 3), { ...at(2, 2), pinned: true as const }, undefined],
  ["one that is not known", { path: "other", by: "values" as const }, at(1, 1), undefined],
] as const;
for (const [what, known, seen, expected] of rows) {
  test(`${what} is ${expected === undefined ? "not older" : "older"}`, () => {
    expect(olderVersion([known], [seen])).toBe(expected);
  });
}
