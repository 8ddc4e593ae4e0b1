import { expect, test } from "bun:test";
import { damagedEnd, spreadOver } from "./judge-damage.ts";

const WANTED = 42;
const NAMED = "svc-wrapper: the executable is damaged: its file is not the one that was built";

for (const [end, exitCode, stderr] of [
  ["unharmed", WANTED, ""],
  ["named", 125, NAMED],
  ["refused", 125, "a fault in the wrapper itself: SIGSEGV"],
  ["refused", 126, ""],
  ["silent", 139, ""],
  ["hung", undefined, NAMED],
  ["wrong", 0, NAMED],
  ["wrong", null, ""],
] as const) {
  test(`${exitCode} with "${stderr}" is ${end}`, () => {
    expect(damagedEnd({ exitCode, stderr }, WANTED)).toBe(end);
  });
}

test("offsets are spread over a file", () => {
  expect(spreadOver(100, 4)).toEqual([12, 37, 62, 87]);
});
