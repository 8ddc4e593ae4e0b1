import { expect, test } from "bun:test";
import type { LogFields, Logger } from "../log.ts";
import type { ReadFile } from "./read-file-source.ts";
import { sayExposures } from "./say-exposures.ts";

type Line = readonly [level: string, files: LogFields[string]];

/** The level and the named files of each line. */
function linesOf(files: readonly ReadFile[]): readonly Line[] {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (_: string, fields: LogFields = {}) => {
      lines.push([level, fields["files"]]);
    };
  const log: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  sayExposures(log, files);
  return lines;
}

const file = (path: string, isWorldReadable: boolean, isInMemory?: boolean): ReadFile => ({
  secret: { path, fields: new Map() },
  exposure: { isWorldReadable, isInMemory },
});

test.each([
  ["on a disk, for all users", file("/a", true, false), true],
  ["on a disk, for some", file("/a", false, false), false],
  ["in memory, for all users", file("/a", true, true), false],
  ["at a place that the kernel does not tell", file("/a", true, undefined), false],
])("a file %s", (_, found, isWarned) => {
  const warning: Line[] = isWarned ? [["warn", "/a"]] : [];
  expect(linesOf([found])).toEqual([["info", "/a"], ...warning]);
});

test("each file is named once, and 20 at the most", () => {
  const files = Array.from({ length: 22 }, (_, n) => file(`/${n}`, false, true));
  const names = files.slice(0, 20).map(({ secret }) => secret.path);
  expect(linesOf([...files, ...files])).toEqual([["info", `${names.join(", ")}, and 2 more`]]);
});
