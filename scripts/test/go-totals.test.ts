import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { runGo } from "../go/go-command.ts";
import { readGoReport } from "./go-totals.ts";

interface Case {
  readonly name: string;
  /** The body of a test file of a separate package. */
  readonly code: string;
  /** The counts of its run; 0 without an event. */
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  /** Something that the text for people says. */
  readonly says?: string;
}

const cases: readonly Case[] = [
  { name: "a test that passes", code: "func TestA(t *testing.T) {}", passed: 1 },
  {
    name: "subtests, not their parents",
    code: 'func TestA(t *testing.T) { t.Run("b", TestC); t.Run("d", TestC) }\nfunc TestC(t *testing.T) {}',
    passed: 3,
  },
  {
    name: "a test whose name begins with another's",
    code: "func TestA(t *testing.T) {}\nfunc TestAB(t *testing.T) {}",
    passed: 2,
  },
  { name: "an example", code: 'func Example() {\n\tprintln("")\n\t// Output:\n}', passed: 1 },
  {
    name: "every seed of a fuzz target",
    code: "func FuzzA(f *testing.F) { f.Add(1); f.Add(2); f.Fuzz(func(*testing.T, int) {}) }",
    passed: 2,
  },
  { name: "a skipped test", code: 'func TestA(t *testing.T) { t.Skip("why") }', skipped: 1 },
  {
    name: "a parent skipped after its subtest",
    code: 'func TestA(t *testing.T) { t.Run("b", func(*testing.T) {}); t.Skip() }',
    ...{ passed: 1, skipped: 1 },
  },
  {
    name: "a subtest that fails, once",
    code: 'func TestA(t *testing.T) { t.Run("b", func(t *testing.T) { t.Error("said") }) }',
    ...{ failed: 1, says: "said" },
  },
  {
    name: "a parent that fails after its subtest",
    code: 'func TestA(t *testing.T) { t.Run("b", func(*testing.T) {}); t.Error("said") }',
    ...{ passed: 1, failed: 1, says: "said" },
  },
  {
    name: "a process that dies in a test",
    code: "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { os.Exit(3) }\nfunc TestC(t *testing.T) {}",
    ...{ passed: 1, failed: 1 },
  },
  {
    name: "a process that dies after its tests",
    code: "func TestA(t *testing.T) {}\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(3) }",
    ...{ passed: 1, failed: 1 },
  },
  {
    name: "a package that does not compile",
    code: "func TestA(t *testing.T) { missing() }",
    ...{ failed: 1, says: "undefined: missing" },
  },
  { name: "no test", code: "func a(t *testing.T) {}", says: "no tests to run" },
];

const header =
  'package p\n\nimport (\n\t"os"\n\t"testing"\n)\n\nvar _, _ = os.Exit, testing.Short\n\n';

describe("totals of go test count", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "go.mod"), "module svc.internal/cases\n\ngo 1.25.0\n");
  cases.forEach(({ code }, index) => {
    mkdirSync(join(folder.path, `case${index}`));
    writeFileSync(join(folder.path, `case${index}/p_test.go`), `${header}${code}\n`);
  });
  // One run for all: to link a test takes a second.
  const words = ["test", "-vet=off", "-count=1", "-json", "./..."];
  const lines = runGo(words, { folder: folder.path }).stdout.split("\n");

  cases.forEach(({ name, passed = 0, failed = 0, skipped = 0, says = "" }, index) => {
    test(name, () => {
      const own = lines.filter((line) => new RegExp(`cases/case${index}["\\\\ ]`).test(line));
      const { totals, text } = readGoReport(own.join("\n"));
      expect(totals).toEqual({ passed, failed, skipped });
      expect(text).toContain(says);
    });
  });
});

test("go's output outside of its events is kept, and counts as nothing", () => {
  expect(readGoReport("go: no modules\n")).toEqual({
    totals: { passed: 0, failed: 0, skipped: 0 },
    text: "go: no modules\n",
  });
});
