import { describe, expect, test } from "bun:test";
import { deepImports, isEntryPoint } from "./entry-points.ts";

const finds = (path: string, specifier: string) =>
  deepImports({ path, name: "x.ts", text: `import { x } from "${specifier}";` }).length;

describe("an import of a package's inside", () => {
  const rows: readonly (readonly [name: string, path: string, specifier: string, found: number])[] =
    [
      ["from a story is refused", "e2e/a/x.ts", "../../packages/agent/src/run/x.ts", 1],
      ["from a script is refused", "scripts/x.ts", "../packages/cli/src/errors.ts", 1],
      ["from another package is refused", "packages/cli/src/x.ts", "../../agent/src/x.ts", 1],
      ["from the package itself is fine", "packages/cli/src/a/x.ts", "../errors.ts", 0],
      ["by its index is fine", "scripts/x.ts", "../packages/cli/src/index.ts", 0],
      ["by its tables is fine", "scripts/x.ts", "../packages/cli/src/reference.ts", 0],
      ["by its test material is fine", "e2e/x.ts", "../packages/cli/src/testdata/index.ts", 0],
      ["by its name is fine", "e2e/x.ts", "@svc/agent/testdata", 0],
    ];
  for (const [name, path, specifier, found] of rows) {
    test(name, () => expect(finds(path, specifier)).toBe(found));
  }
});

test("the index of a folder is not an entry point of the package", () => {
  expect(isEntryPoint("packages/agent/src/index.ts")).toBe(true);
  expect(isEntryPoint("packages/agent/src/run/index.ts")).toBe(false);
});
