import { describe, expect, test } from "bun:test";
import { needsRoot } from "@svc/testing";
import { runFixture } from "../testdata/run-fixture.ts";
import { privateWritableMappings, runsOfPages } from "./lock-writable-memory.ts";

type Row = readonly [
  name: string,
  through: readonly string[],
  outcome: string,
  declare?: typeof test,
];

const withoutCapability = ["setpriv", "--bounding-set", "-ipc_lock"];

describe("lockWritableMemory", () => {
  const every = "locks every mapping with CAP_IPC_LOCK";
  const rows: readonly Row[] = [
    [every, ["prlimit", "--memlock=0:0"], "all", needsRoot(test)],
    [
      "locks the present pages where the limit is below the runtime's mappings",
      [...withoutCapability, "prlimit", "--memlock=8388608:8388608"],
      "present pages",
    ],
    [
      "fails with EPERM where nothing may be locked",
      [...withoutCapability, "prlimit", "--memlock=0:0"],
      "EPERM",
    ],
    [
      "fails with ENOMEM where the present pages are more than the limit",
      [...withoutCapability, "prlimit", "--memlock=65536:65536"],
      "ENOMEM",
    ],
  ];
  for (const [name, through, outcome, declare = test] of rows) {
    declare(name, () => {
      expect(runFixture("locks-writable-memory", { through })).toMatchObject({ outcome });
    });
  }
});

test("privateWritableMappings reads the lines of proc_pid_maps(5)", () => {
  const maps = [
    "00200000-00400000 r--p 00000000 fe:00 12  /opt/svc/bin/svc-wrapper",
    "00400000-00401000 rw-p 00200000 fe:00 12  /opt/svc/bin/svc-wrapper",
    "7f0000000000-7f0000002000 rw-s 00000000 00:01 7  /secretmem (deleted)",
    "7f0000004000-7f0000008000 rwxp 00000000 00:00 0 ",
    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0  [stack]",
    "",
  ].join("\n");
  expect(privateWritableMappings(maps)).toEqual([
    { start: 0x400000, end: 0x401000, isAnonymous: false },
    { start: 0x7f0000004000, end: 0x7f0000008000, isAnonymous: true },
    { start: 0x7ffc00000000, end: 0x7ffc00021000, isAnonymous: true },
  ]);
});

describe("runsOfPages finds", () => {
  const rows: readonly (readonly [name: string, pages: readonly number[], runs: unknown])[] = [
    ["nothing in nothing", [], []],
    ["nothing where no page is there", [0, 0], []],
    ["one run of all", [1, 1], [[0, 2]]],
    ["runs at both ends", [1, 0, 0, 1], [[0, 1], [3, 4]]], // biome-ignore format: one row
  ];
  for (const [name, pages, runs] of rows) {
    test(name, () => {
      const found = [...runsOfPages(Uint8Array.from(pages))];
      expect(found.map(({ first, after }) => [first, after])).toEqual(runs as number[][]);
    });
  }
});
