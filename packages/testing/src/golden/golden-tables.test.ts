import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../temporary-folder.ts";
import { readGoldenTable, writeGoldenTables } from "./golden-tables.ts";
import { applyPatch, patchBetween } from "./merge-patch.ts";
import { printTable } from "./print-table.ts";

const base = {
  kernel: "6.12",
  attacks: {
    read: {
      seen: ["mem read"],
      by: "lsm",
      answer: "ok",
      enforced: { answer: "EACCES", leaked: 0 },
    },
    write: {
      seen: ["mem write"],
      by: "lsm",
      answer: "ok",
      enforced: { answer: "EACCES", leaked: 0 },
    },
  },
};
const { read, write } = base.attacks;

describe("a table differs from its base by", () => {
  const rows = [
    ["nothing", base, undefined],
    ["a field alone", { ...base, kernel: "6.1" }, { kernel: "6.1" }],
    [
      "the changed fields of a row, at any depth",
      {
        ...base,
        attacks: { read, write: { ...write, enforced: { answer: "EPERM", leaked: 0 } } },
      },
      { attacks: { write: { enforced: { answer: "EPERM" } } } },
    ],
    [
      "a list as a whole",
      { ...base, attacks: { read: { ...read, seen: ["mem read", "mem read"] }, write } },
      { attacks: { read: { seen: ["mem read", "mem read"] } } },
    ],
    ["a row that is missing", { ...base, attacks: { read } }, { attacks: { write: null } }],
    [
      "a field that is missing",
      { ...base, attacks: { read: { seen: [], answer: "ENOENT", enforced: {} }, write } },
      {
        attacks: {
          read: { seen: [], by: null, answer: "ENOENT", enforced: { answer: null, leaked: null } },
        },
      },
    ],
    [
      "a row that the base lacks",
      { ...base, attacks: { read, write, kcmp: { seen: [], answer: "ok" } } },
      { attacks: { kcmp: { seen: [], answer: "ok" } } },
    ],
    ["a text in the place of rows", { ...base, attacks: "none" }, { attacks: "none" }],
    ["rows in the place of a text", { ...base, kernel: { all: {} } }, { kernel: { all: {} } }],
  ] as const;
  for (const [name, table, patch] of rows) {
    test(name, () => {
      expect(patchBetween(base, table)).toEqual(patch);
      // In the order of the base, so that a person and a test find a row in its place.
      expect(JSON.stringify(applyPatch(base, patch ?? {}))).toBe(JSON.stringify(table));
    });
  }
});

test("a patch that removes everything is a mistake", () => {
  expect(() => applyPatch(base, null)).toThrow("a patch removes a member, never the whole");
});

describe("a table is printed", () => {
  // `  "row": { "seen": [""] },` has 26 characters.
  const row = (length: number) => ({ row: { seen: ["x".repeat(length)] }, last: {} });
  const rows = [
    ["in one line if it fits", base.attacks.read.enforced, '{ "answer": "EACCES", "leaked": 0 }'],
    [
      "row by row if it does not, with a comma in the last column",
      row(74),
      `{\n  "row": { "seen": ["${"x".repeat(74)}"] },\n  "last": {}\n}`,
    ],
    [
      "field by field if a row does not fit",
      row(75),
      `{\n  "row": {\n    "seen": ["${"x".repeat(75)}"]\n  },\n  "last": {}\n}`,
    ],
    [
      "item by item if a list does not fit",
      ["x".repeat(60), ["y".repeat(60), null]],
      `[\n  "${"x".repeat(60)}",\n  ["${"y".repeat(60)}", null]\n]`,
    ],
  ] as const;
  for (const [name, value, text] of rows) {
    test(name, () => expect(printTable(value)).toBe(text));
  }
});

describe("a folder of tables", () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  const bases: Readonly<Record<string, string>> = { old: "new", older: "old" };
  const save = (tables: Readonly<Record<string, object>>) =>
    writeGoldenTables(folder.path, tables, (name) => bases[name]);
  const textOf = (name: string) => readFileSync(join(folder.path, `${name}.json`), "utf8");
  const fileOf = (name: string): unknown => JSON.parse(textOf(name));

  const old = { ...base, kernel: "6.1" };
  const older = { kernel: "5.10", attacks: { read } };

  test("has one whole table, and the differences of each other one from its base", () => {
    save({ new: base, old, older });
    expect(readdirSync(folder.path).sort()).toEqual(["new.json", "old.json", "older.json"]);
    expect(fileOf("new")).toEqual(base);
    expect(fileOf("old")).toEqual({ base: "new", differences: { kernel: "6.1" } });
    expect(fileOf("older")).toEqual({
      base: "old",
      differences: { kernel: "5.10", attacks: { write: null } },
    });
    for (const [name, table] of Object.entries({ new: base, old, older })) {
      expect(readGoldenTable(folder.path, name)).toEqual(table);
    }
  });

  test("keeps every other table if a base is written again", () => {
    save({ new: base, old, older });
    const changed = { kernel: "6.18", attacks: { read: { ...read, answer: "EPERM" } } };
    save({ new: changed });
    expect(readGoldenTable(folder.path, "new")).toEqual(changed);
    expect(readGoldenTable(folder.path, "old")).toEqual(old);
    expect(readGoldenTable(folder.path, "older")).toEqual(older);
    expect(fileOf("old")).toEqual({
      base: "new",
      differences: { kernel: "6.1", attacks: { read: { answer: "ok" }, write } },
    });
  });

  test("stays as it is, to the byte, if its tables are written again", () => {
    // The fields of `old` are in another order than those of a table that was read.
    const row = { victim: "ends", ...read };
    const added = { ...old, attacks: { read: row, write } };
    save({
      new: { ...base, attacks: { read: { answer: "ok" }, write } },
      old: added,
      older: { ...added, attacks: { read: { ...row, seen: [], by: "x", answer: "y" }, write } },
    });
    const texts = () => ["new", "old", "older"].map((name) => textOf(name));
    const before = texts();
    for (const name of ["older", "old", "new"]) {
      save({ [name]: Object(readGoldenTable(folder.path, name)) });
    }
    expect(texts()).toEqual(before);
  });

  test("writes no field that has no value", () => {
    save({ new: { ...base, victim: undefined } });
    expect(fileOf("new")).toEqual(base);
  });

  test("refuses a table whose base it lacks, and writes nothing then", () => {
    writeFileSync(join(folder.path, "README.md"), "not a table");
    expect(() => save({ old })).toThrow('there is no table "new", which is a base');
    expect(readdirSync(folder.path)).toEqual(["README.md"]);
  });
});
