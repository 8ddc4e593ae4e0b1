import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { goProblem, releaseProblem } from "./go-release.ts";

const modules = [
  { path: "go/go.mod", text: "module svc.internal/secrets\n\ngo 1.25.0\n" },
  { path: "scripts/go-tools/go.mod", text: "module svc.internal/go-tools\n\ngo 1.26.0\n" },
] as const;
const need = "go 1.26 or newer is needed (scripts/go-tools/go.mod)";
const hint = "hint: install it and put it first in PATH";

describe("the release of go", () => {
  const rows: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ["that is needed is enough", "go1.26.0", undefined],
    ["may be newer", "go1.30rc1", undefined],
    ["may be of a greater major version", "go2.0", undefined],
    ["may have a suffix of its distribution", "go1.26.8-X:nodwarf5", undefined],
    ["may be a development version", "devel go1.27-abcdef", undefined],
    ["must not be older than any module needs", "go1.25.3", `${need}: found go1.25.3: ${hint}`],
    ["is compared as numbers", "go1.9", `${need}: found go1.9: ${hint}`],
    ["has to be there", undefined, `${need}: no "go" in PATH: ${hint}`],
    ["is not guessed", "go: cannot find GOROOT", `${need}: go: cannot find GOROOT`],
  ];
  for (const [name, found, problem] of rows) {
    test(name, () => expect(releaseProblem(found, modules)).toBe(problem));
  }

  test("of this machine is new enough", () => {
    expect(goProblem(join(import.meta.dir, "../.."))).toBeUndefined();
  });
});
