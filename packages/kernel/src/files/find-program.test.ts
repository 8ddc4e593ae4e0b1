import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { type FoundProgram, findProgram } from "./find-program.ts";

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  for (const [path, mode] of [
    ["one/tool", 0o755],
    ["two/tool", 0o755],
    ["two/plain", 0o644],
    ["three/plain", 0o755],
  ] as const) {
    mkdirSync(join(folder.path, path, ".."), { recursive: true });
    writeFileSync(join(folder.path, path), "");
    chmodSync(join(folder.path, path), mode);
  }
  mkdirSync(join(folder.path, "one/folder"));
});
afterAll(() => folder[Symbol.dispose]());

describe("findProgram", () => {
  // `@` stands for the test's folder.
  const rows: readonly (readonly [
    name: string,
    program: string,
    path: string | undefined,
    kind: FoundProgram["kind"],
    where?: string,
  ])[] = [
    ["takes the first of several folders", "tool", "@/one:@/two", "found", "@/one/tool"],
    ["goes on if a folder is missing", "tool", "@/none:@/two", "found", "@/two/tool"],
    ["goes on past a file that does not run", "plain", "@/two:@/three", "found", "@/three/plain"],
    [
      "says that the only file does not run",
      "plain",
      "@/two:@/one",
      "not executable",
      "@/two/plain",
    ],
    ["does not take a folder for a program", "folder", "@/one", "not executable", "@/one/folder"],
    ["does not find a missing program", "absent", "@/one:@/two", "not found"],
    ["does not find an empty name", "", "@/one", "not found"],
    ["takes a name with a slash as a path", "@/two/tool", "@/one", "found", "@/two/tool"],
    ["does not search for a path that is missing", "./absent", "@/one", "not found"],
    ["says that a path does not run", "@/two/plain", undefined, "not executable", "@/two/plain"],
    ["searches /bin and /usr/bin if PATH is not set", "sh", undefined, "found", "/bin/sh"],
    ["searches only the working directory if PATH is empty", "sh", "", "not found"],
  ];
  for (const [name, program, path, kind, where] of rows) {
    test(name, () => {
      const found = findProgram(bytes(program), path === undefined ? undefined : bytes(path));
      expect(found.kind).toBe(kind);
      if (found.kind !== "not found") expect([...found.path]).toEqual([...bytes(where ?? "")]);
    });
  }

  for (const [name, path] of [
    ["at the beginning", ":@/one"],
    ["in the middle", "@/none::@/one"],
    ["at the end", "@/none:"],
  ] as const) {
    test(`takes an empty part ${name} for the working directory`, () => {
      const before = process.cwd();
      process.chdir(join(folder.path, "two"));
      try {
        expect(findProgram(bytes("tool"), bytes(path))).toEqual({
          kind: "found",
          path: bytes("tool"),
        });
      } finally {
        process.chdir(before);
      }
    });
  }

  test("leaves no descriptor", () => {
    expect(descriptorsLeftBy(() => void findProgram(bytes("sh"), undefined))).toEqual([]);
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text.replaceAll("@", folder.path));
}
