import { expect, test } from "bun:test";
import { slowestTests, timesTable } from "./times.ts";

const output = [
  "bun test v1.4.5",
  "",
  "packages/a.test.ts:",
  "(pass) one > with [brackets] [1520.50ms]",
  "(pass) fast",
  "packages/b.engine-test.ts:",
  "(fail) two [90000.00ms]",
  "  ^ this test timed out after 90000ms.",
  "(skip) three",
  " 2 pass",
].join("\n");

test("the slowest tests of a run have their files and seconds", () => {
  expect(slowestTests(output)).toEqual([
    { name: "two", file: "packages/b.engine-test.ts", seconds: 90 },
    { name: "one > with [brackets]", file: "packages/a.test.ts", seconds: 1.5205 },
  ]);
  expect(slowestTests("")).toEqual([]);
});

test("of many tests ten are kept", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `(pass) t${index} [${index}.00ms]`);
  const names = slowestTests(lines.join("\n")).map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 10 }, (_, index) => `t${29 - index}`));
});

test("the table has a row for each step, and the slowest tests of all", () => {
  const text = timesTable([
    { step: "build", seconds: 101.26, cpuSeconds: 180, tests: 0, slowest: [] },
    { step: "chaos", seconds: 60, cpuSeconds: 12.34, tests: 30, slowest: slowestTests(output) },
  ]);
  expect(text.split("\n")).toEqual([
    "step   seconds  of a processor  tests  seconds per test",
    "build    101.3           180.0",
    "chaos     60.0            12.3     30              2.00",
    "",
    "the slowest tests, in seconds:",
    "   90.0  packages/b.engine-test.ts: two",
    "    1.5  packages/a.test.ts: one > with [brackets]",
  ]);
});
