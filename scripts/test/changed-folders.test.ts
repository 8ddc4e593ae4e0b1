import { expect, test } from "bun:test";
import { changedFolders } from "./changed-folders.ts";

const rows = [
  ["nothing", [], []],
  ["a file of a package", ["packages/vault/src/retry.ts"], ["packages/vault"]],
  [
    "files of several folders, each once and in order",
    ["scripts/test.ts", "packages/vault/src/a.ts", "bench/run.ts", "packages/vault/README.md"],
    ["bench", "packages/vault", "scripts"],
  ],
  ["files without unit tests", ["README.md", "e2e/cli/a.test.ts", "packages/"], []],
] as const;
for (const [name, files, folders] of rows) {
  test(`unit tests of ${name}`, () => {
    expect(changedFolders(files)).toEqual([...folders]);
  });
}
