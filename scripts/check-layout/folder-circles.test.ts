import { describe, expect, test } from "bun:test";
import { folderCircles } from "./folder-circles.ts";
import type { SourceFile } from "./source-file.ts";

const file = (path: string, ...imports: readonly string[]): SourceFile => ({
  path,
  name: path.split("/").at(-1) ?? "",
  text: imports.map((specifier) => `import { x } from "${specifier}";`).join("\n"),
});
const one = "packages/a/src/one/x.ts";
const two = "packages/a/src/two/y.ts";
const three = "packages/a/src/three/z.ts";

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
        "circle of folders: packages/a/src/one -> packages/a/src/two -> packages/a/src/one\n" +
          `  ${one} imports ${two}\n` +
          `  ${two} imports packages/a/src/one/z.ts`,
      ],
    ],
    [
      "that import each other by way of a third are refused",
      [file(one, "../two/y.ts"), file(two, "../three/z.ts"), file(three, "../one/w.ts")],
      [
        "circle of folders: packages/a/src/one -> packages/a/src/two -> packages/a/src/three -> " +
          "packages/a/src/one\n" +
          `  ${one} imports ${two}\n` +
          `  ${two} imports ${three}\n` +
          `  ${three} imports packages/a/src/one/w.ts`,
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
      "that import each other by a program's start are fine",
      [file("e2e/a/start.ts", "./inside/y.ts"), file("e2e/a/inside/y.ts", "../z.ts")],
      [],
    ],
    [
      "of stories that import each other are refused",
      [
        file("e2e/a/start.test.ts", "./x.ts", "./inside/y.ts"),
        file("e2e/a/x.ts", "./inside/y.ts"),
        file("e2e/a/inside/y.ts", "../z.ts"),
      ],
      [
        "circle of folders: e2e/a -> e2e/a/inside -> e2e/a\n" +
          "  e2e/a/x.ts imports e2e/a/inside/y.ts\n" +
          "  e2e/a/inside/y.ts imports e2e/a/z.ts",
      ],
    ],
  ];
  for (const [name, files, finds] of rows) {
    test(name, () => expect(folderCircles(files)).toEqual([...finds]));
  }
});
