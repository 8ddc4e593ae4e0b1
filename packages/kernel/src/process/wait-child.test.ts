import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";

describe("nextChildChange", () => {
  const rows: readonly (readonly [name: string, run: string, result: unknown])[] = [
    ["says nothing if there is no child", "no child", "nothing"],
    ["says nothing about a child that runs", "a child that runs", "nothing"],
    ["gives each of the 256 exit codes", "every exit code", Array.from(Array(256).keys())],
    [
      "gives the signal that killed a child",
      "every deadly signal",
      [1, 2, 3, 6, 9, 11, 13, 14, 15, 31].map((signal) => ({ kind: "killed", signal })),
    ],
    [
      "follows a child that is stopped, continued and killed",
      "stop and continue",
      [{ kind: "stopped", signal: 19 }, { kind: "continued" }, { kind: "killed", signal: 9 }],
    ],
    [
      "reaps an orphan beside the child",
      "an orphan",
      { ours: [{ kind: "exited", code: 3 }], orphan: [{ kind: "killed", signal: 15 }] },
    ],
  ];
  for (const [name, run, result] of rows) {
    test(`${name}, and leaves no descriptor`, () => {
      expect(runFixture("reaps-children", { words: [run] })).toEqual({ result, leaked: 0 });
    });
  }
});
