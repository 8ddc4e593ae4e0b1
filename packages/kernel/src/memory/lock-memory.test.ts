import { describe, expect, test } from "bun:test";
import { needsRoot } from "@svc/testing";
import { runFixture } from "../../testdata/run-fixture.ts";

type Row = readonly [
  name: string,
  through: readonly string[],
  outcome: string,
  declare?: typeof test,
];

const withoutCapability = ["setpriv", "--bounding-set", "-ipc_lock"];

describe("lockAllMemory", () => {
  const noLimit = "locks with CAP_IPC_LOCK at any limit";
  const rows: readonly Row[] = [
    [noLimit, ["prlimit", "--memlock=0:0"], "locked", needsRoot(test)],
    [
      "fails with EPERM if nothing may be locked",
      [...withoutCapability, "prlimit", "--memlock=0:0"],
      "EPERM",
    ],
    [
      "fails with ENOMEM if the process is larger than the limit",
      [...withoutCapability, "prlimit", "--memlock=65536:65536"],
      "ENOMEM",
    ],
  ];
  for (const [name, through, outcome, declare = test] of rows) {
    declare(name, () => {
      expect(runFixture("locks-memory", { through })).toMatchObject({ outcome });
    });
  }
});

describe("memoryLockLimit", () => {
  for (const bytes of [0, 4096, 1_000_000]) {
    test(`is the soft limit of ${bytes} bytes`, () => {
      const through = ["prlimit", `--memlock=${bytes}:1048576`];
      expect(runFixture("locks-memory", { through })).toMatchObject({ limit: bytes });
    });
  }

  test("is what /proc/self/limits shows", () => {
    expect(runFixture("locks-memory")).toMatchObject({ sameAsProc: true });
  });
});
