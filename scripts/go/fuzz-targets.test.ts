import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { fuzzTargets } from "./fuzz-targets.ts";
import { runGo } from "./go-command.ts";

test("every fuzz target of every package is found, and nothing else", () => {
  using folder = temporaryFolder();
  const write = (path: string, text: string) => writeFileSync(join(folder.path, path), text);
  const target = (name: string) =>
    `func ${name}(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }`;
  write("go.mod", "module svc.internal/cases\n\ngo 1.25.0\n");
  write("none.go", "package cases\n");
  for (const [name, code] of [
    ["one", `${target("FuzzRegion")}\nfunc TestFuzzRegion(t *testing.T) {}`],
    ["two", `${target("FuzzÄnderung")}\n${target("Fuzz_both")}`],
  ] as const) {
    mkdirSync(join(folder.path, name));
    write(`${name}/x_test.go`, `package x\n\nimport "testing"\n\n${code}\n`);
  }
  const words = ["test", "-vet=off", "-list", "^Fuzz", "-json", "./..."];
  expect(fuzzTargets(runGo(words, { folder: folder.path }).stdout)).toEqual([
    { packageName: "svc.internal/cases/one", name: "FuzzRegion" },
    { packageName: "svc.internal/cases/two", name: "FuzzÄnderung" },
    { packageName: "svc.internal/cases/two", name: "Fuzz_both" },
  ]);
});
