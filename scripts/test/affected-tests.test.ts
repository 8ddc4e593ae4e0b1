import { describe, expect, test } from "bun:test";
import { affectedTests } from "./affected-tests.ts";
import { importGraph } from "./import-graph.ts";

const sources = new Map([
  [
    "packages/kernel/src/index.ts",
    'export { open, type Flags } from "./files/open.ts";\nexport {\n  spawn as start,\n  wait,\n} from "./spawn.ts";\n',
  ],
  ["packages/kernel/src/files/open.ts", 'import { native } from "#native";\n'],
  ["packages/kernel/src/bun/native.ts", ""],
  ["packages/kernel/src/engine/native.ts", ""],
  ["packages/kernel/src/spawn.ts", 'import type { Flags } from "./files/open.ts";\n'],
  ["packages/kernel/src/spawn.test.ts", 'import { spawn } from "./spawn.ts";\n'],
  ["packages/agent/src/read.ts", 'import { open } from "@svc/kernel";\n'],
  ["packages/agent/src/read.test.ts", 'const { read } = await import("./read.ts");\n'],
  ["packages/agent/src/types.test.ts", 'import type { Flags } from "@svc/kernel";\n'],
  ["packages/agent/src/all.test.ts", 'import * as kernel from "@svc/kernel";\n'],
  ["packages/wrapper/src/wait.engine-test.ts", 'import { wait } from "@svc/kernel";\n'],
]);
const packages = new Map([
  [
    "@svc/kernel",
    {
      entries: {
        ".": ["packages/kernel/src/index.ts"],
        "#native": ["packages/kernel/src/bun/native.ts", "packages/kernel/src/engine/native.ts"],
      },
    },
  ],
]);
const graph = importGraph(sources, packages);
const [all, read, spawned, types, waits] = [
  "packages/agent/src/all.test.ts",
  "packages/agent/src/read.test.ts",
  "packages/kernel/src/spawn.test.ts",
  "packages/agent/src/types.test.ts",
  "packages/wrapper/src/wait.engine-test.ts",
];

describe("the tests that a change affects", () => {
  const rows: readonly (readonly [change: string, files: readonly string[], tests: string[]])[] = [
    ["nothing", [], []],
    ["a test itself", [types], [types]],
    ["a file that a test imports", ["packages/kernel/src/spawn.ts"], [all, spawned, waits]],
    [
      "a file behind a package's name, and only users of it",
      ["packages/kernel/src/files/open.ts"],
      [all, read],
    ],
    ["one of a runtime's files", ["packages/kernel/src/engine/native.ts"], [all, read]],
    ["an entry point, whose users of all names", ["packages/kernel/src/index.ts"], [all]],
    ["test data", ["packages/agent/src/testdata/a.json"], [all, read, types]],
    ["a document", ["packages/agent/README.md"], []],
    ["the lock file", ["bun.lock"], [all, read, types, spawned, waits]],
    [
      "formats of several languages",
      ["formats/region/one.json"],
      [all, read, types, spawned, waits],
    ],
    ["a file that is gone", ["packages/agent/src/old.ts"], []],
  ];
  for (const [change, files, tests] of rows) {
    test(`of ${change}`, () => expect(affectedTests(files, graph)).toEqual(tests));
  }
});
