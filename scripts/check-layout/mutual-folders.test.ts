import { describe, expect, test } from "bun:test";
import { mutualFolders } from "./mutual-folders.ts";
import type { SourceFile } from "./source-file.ts";

const file = (path: string, ...imports: readonly string[]): SourceFile => ({
  path,
  name: path.split("/").at(-1) ?? "",
  text: imports.map((specifier) => `import { x } from "${specifier}";`).join("\n"),
});
const one = "packages/a/src/one/x.ts";
const two = "packages/a/src/two/y.ts";

describe("folders", () => {
  const rows: readonly (readonly [
    name: string,
    files: readonly SourceFile[],
    finds: readonly string[],
  ])[] = [
    ["that import one way are fine", [file(one, "../two/y.ts"), file(two)], []],
    [
      "that import each other are refused",
      [file(one, "../two/y.ts"), file(two, "../one/z.ts")],
      [
        "packages/a/src/one and packages/a/src/two import each other: " +
          `${one} imports ${two}, and ${two} imports packages/a/src/one/z.ts`,
      ],
    ],
    [
      "that import each other by an entry point are fine",
      [file("packages/a/src/index.ts", "./one/x.ts"), file(one, "../errors.ts")],
      [],
    ],
    [
      "that import each other by a test are fine",
      [file(one, "../two/y.ts"), file("packages/a/src/two/y.test.ts", "../one/x.ts")],
      [],
    ],
    [
      "with a backend are fine",
      [file(one, "./engine/b.ts"), file("packages/a/src/one/engine/b.ts", "../x.ts")],
      [],
    ],
    [
      "of scripts are not looked at",
      [file("scripts/a/x.ts", "../b/y.ts"), file("scripts/b/y.ts", "../a/x.ts")],
      [],
    ],
  ];
  for (const [name, files, finds] of rows) {
    test(name, () => expect(mutualFolders(files)).toEqual([...finds]));
  }
});
