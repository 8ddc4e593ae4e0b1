import { describe, expect, test } from "bun:test";
import { failedTests, failuresIn } from "./failures.ts";

const cases = [
  {
    name: "a failed test with its file and its messages, and nothing of its neighbours",
    output:
      "\na.test.ts:\n(pass) one [1ms]\nerror: x\n      at y\n(fail) two [2ms]\nmore\n(pass) three [1ms]\n\n1 tests failed:\n(fail) two [2ms]\n\n 2 pass\n 1 fail\n",
    said: "a.test.ts:\nerror: x\n      at y\n(fail) two [2ms]",
  },
  {
    name: "an error that was printed before the line of a test that ran at the same time",
    output: "a.test.ts:\nerror: x\n(pass) one [1ms]\n(fail) two [2ms]\n",
    said: "a.test.ts:\nerror: x\n(fail) two [2ms]",
  },
  {
    name: "each of several, under the file that it is in",
    output: "a.test.ts:\n(fail) one\n(fail) two\n\nb.test.ts:\nerror: z\n(fail) three\n 3 fail\n",
    said: "a.test.ts:\n(fail) one\na.test.ts:\n(fail) two\nb.test.ts:\nerror: z\n(fail) three",
  },
  {
    name: "that a test ran out of time",
    output:
      "a.test.ts:\n(fail) one [30000ms]\n  ^ this test timed out after 30000ms.\n(pass) two\n",
    said: "a.test.ts:\n(fail) one [30000ms]\n  ^ this test timed out after 30000ms.",
  },
  {
    name: "the last lines of a step that runs no tests",
    output: `${Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n")}\n`,
    said: Array.from({ length: 40 }, (_, index) => `line ${index + 10}`).join("\n"),
  },
  { name: "nothing of nothing", output: "", said: "" },
] as const;

describe("the last lines of a failed step", () => {
  for (const { name, output, said } of cases) {
    test(name, () => expect(failuresIn(output)).toBe(said));
  }
});

test("failed tests have names with their files, each once", () => {
  const output = "a.test.ts:\n(pass) one\n(fail) two [2.10ms]\nb.test.ts:\n(fail) x > [y]\n";
  const repeated = "2 tests failed:\n(fail) two [2.10ms]\n(fail) x > [y]\n";
  expect(failedTests(output + repeated)).toEqual(["a.test.ts: two", "b.test.ts: x > [y]"]);
  expect(failedTests("(pass) one\n")).toEqual([]);
});
