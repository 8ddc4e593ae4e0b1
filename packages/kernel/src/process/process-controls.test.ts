import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";

describe("process controls, read back from the kernel", () => {
  const before = { dumpable: true, subreaper: 0, parentDeathSignal: 0 };
  const rows: readonly (readonly [name: string, control: string, after: object])[] = [
    ["nothing is set to begin with", "nothing", before],
    ["forbidDumps makes the process undumpable", "forbidDumps", { ...before, dumpable: false }],
    ["adoptOrphans makes it a subreaper", "adoptOrphans", { ...before, subreaper: 1 }],
    [
      "setParentDeathSignal sets the signal",
      "setParentDeathSignal",
      { ...before, parentDeathSignal: 9 },
    ],
    ["setParentDeathSignal takes it back", "clearParentDeathSignal", before],
  ];
  for (const [name, control, after] of rows) {
    test(name, () => {
      expect(runFixture("prints-controls", { words: [control] })).toMatchObject(after);
    });
  }
});

test("parentPid is the parent's", () => {
  expect(runFixture("prints-controls")).toMatchObject({ parent: process.pid });
});

test("setProcessName sets the name that /proc shows", () => {
  const controls = runFixture("prints-controls", { words: ["setProcessName"] });
  expect(controls).toMatchObject({ name: "a-name" });
});
