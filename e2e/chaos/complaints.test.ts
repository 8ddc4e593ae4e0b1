import { expect, test } from "bun:test";
import { complaints, type RotationMode } from "./complaints.ts";

const values = [
  { value: "a", fromMs: 0, untilMs: 100 },
  { value: "b", fromMs: 90, untilMs: 200 },
  { value: "c", fromMs: 190, untilMs: Number.POSITIVE_INFINITY },
];

function line(text: string) {
  const [at = "", word = "", value = "", other = value] = text.split(" ");
  const [user, password] = value === "-" ? ["-", "-"] : [`${value}.user`, `${other}.password`];
  return { atMs: Number(at), word, user, password };
}

const rows: readonly (readonly [string, RotationMode, readonly string[], readonly string[]])[] = [
  ["a good life", "restart", ["50 start a", "120 term -", "130 start b", "250 start c"], []],
  ["a life with signals", "sighup", ["50 start a", "250 hangup c"], []],
  ["one value for ever", "none", ["150 start b"], []],
  ["no life", "restart", [], ["never started"]],
  ["no values", "none", ["50 start -"], ["start without its values"]],
  ["parts of two", "none", ["95 start a b"], ["start with parts of two values"]],
  ["a value that never was", "none", ["50 start x"], ["start with a value that there never was"]],
  ["a value too early", "none", ["50 start b"], ["start with a value before it was written"]],
  ["a value too late", "none", ["160 start a"], ["start with a value 60 ms too old"]],
  ["the same again", "restart", ["250 start c", "260 start c"], ["start without cause"]],
  [
    "back again",
    "sighup",
    ["195 start c", "198 hangup b", "210 hangup c"],
    ["hangup with an older value than before"],
  ],
  ["a restart for a signal", "sighup", ["50 start a", "250 start c"], ["started 2 times"]],
  ["a signal for a restart", "restart", ["50 start a", "250 hangup c"], ["1 times SIGHUP"]],
  ["an old value in the end", "restart", ["150 start b"], ["has not got the last value"]],
  [
    "a change for none",
    "none",
    ["50 start a", "250 hangup c"],
    ["1 times SIGHUP", "changed although nothing was to change"],
  ],
];
for (const [what, mode, lines, expected] of rows) {
  test(`complaints about ${what}: ${expected.join(", ") || "none"}`, () => {
    const found = complaints({ name: "x", mode, lines: lines.map(line) }, { values, windowMs: 50 });
    expect(found).toEqual(expected.map((complaint) => `x (${mode}): ${complaint}`));
  });
}
