import { describe, expect, test } from "bun:test";
import {
  basename as ownBasename,
  dirname as ownDirname,
  join as ownJoin,
  resolve as ownResolve,
} from "node:path";
import { basename, dirname, join, resolve } from "./node-path.ts";

// On Bun this compares with the runtime's own.

describe("node:path of the engine's tests", () => {
  const lists = [
    ["a", "b"],
    ["/a/", "/b"],
    ["a", "..", "..", "b"],
    ["/a", "../../b"],
    ["a/./b//c/"],
    ["", ""],
    ["/"],
    ["..", "/x/..", "."],
  ];
  for (const parts of lists) {
    test(`joins and resolves ${JSON.stringify(parts)}`, () => {
      expect(join(...parts)).toBe(ownJoin(...parts));
      expect(resolve(...parts)).toBe(ownResolve(...parts));
    });
  }

  for (const path of ["/a/b", "a", "/a", "/", "a/b/", "./a", "a.test.ts"]) {
    test(`takes ${path} apart`, () => {
      expect(dirname(path)).toBe(ownDirname(path));
      expect(basename(path)).toBe(ownBasename(path));
      expect(basename(path, ".ts")).toBe(ownBasename(path, ".ts"));
    });
  }
});
