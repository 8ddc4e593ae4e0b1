import { expect, test } from "bun:test";
import { faultOf } from "./judge-start.ts";

const WANTED = 42;
const point = { of: "pipe2", cause: /EPERM/ };

for (const [what, end, fault] of [
  ["a program that ran with its value is fine", { exitCode: WANTED, stderr: "" }, undefined],
  ["a named refusal is fine", { exitCode: 125, stderr: "pipe2: EPERM" }, undefined],
  ["a program without its libraries is fine", { exitCode: 127, stderr: "EPERM" }, undefined],
  ["a start without an end is a fault", { exitCode: undefined, stderr: "" }, "it did not end"],
  ["success without a program is a fault", { exitCode: 0, stderr: "" }, "it ended with 0: "],
  ["SIGSEGV is a fault", { exitCode: 139, stderr: "x" }, "it ended with 139: x"],
  [
    "INTERNAL is a fault",
    { exitCode: 125, stderr: 'EPERM "INTERNAL"' },
    'it blames itself: EPERM "INTERNAL"',
  ],
  [
    "another cause is a fault",
    { exitCode: 126, stderr: "not executable" },
    "it does not name the cause: not executable",
  ],
] as const) {
  test(what, () => {
    expect(faultOf(point, end, WANTED)).toBe(fault);
  });
}

test("a wrapper that may not write may be silent", () => {
  const silent = { exitCode: 125, stderr: "" };
  expect(faultOf({ ...point, of: "write" }, silent, WANTED)).toBeUndefined();
});
