import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";
import { changeOfStatus } from "./wait-child.ts";

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

describe("changeOfStatus reads a status of wait(2):", () => {
  for (const [what, status, change] of [
    ["an exit code", 0x0700, { kind: "exited", code: 7 }],
    ["a signal", 0x0f, { kind: "killed", signal: 15 }],
    ["a signal with a core dump", 0x8b, { kind: "killed", signal: 11 }],
    ["a stop", 0x137f, { kind: "stopped", signal: 19 }],
    ["a stop of a traced process", 0x80057f, { kind: "traced", signal: 5, event: 128 }],
    ["a continuation", 0xffff, { kind: "continued" }],
  ] as const) {
    test(what, () => {
      expect(changeOfStatus(5, status)).toMatchObject({ pid: 5, ...change });
    });
  }
});
