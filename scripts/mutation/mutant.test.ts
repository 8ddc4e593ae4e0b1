import { expect, test } from "bun:test";
import { kindOf, type Mutant, mutated, sampleOf, textOf } from "./mutant.ts";

const text = "const a = 1;\nif (a > 1) {\n  go();\n}\n";
const at = (
  line: number,
  from: number,
  to: number,
  replacement: string,
  path = "x.ts",
): Mutant => ({
  path,
  start: { line, column: from },
  end: { line, column: to },
  replacement,
});

test("a mutant replaces its place and nothing else", () => {
  expect(mutated(text, at(1, 4, 9, "true"))).toBe("const a = 1;\nif (true) {\n  go();\n}\n");
  const block = { ...at(1, 11, 0, "{}"), end: { line: 3, column: 1 } };
  expect(mutated(text, block)).toBe("const a = 1;\nif (a > 1) {}\n");
});

test("a mutant is shown by its line, its code and the change", () => {
  expect(textOf(at(1, 4, 9, "a <\n  1"), text)).toBe("x.ts:2: a > 1 → a < 1");
});

test("a sample depends on its seed alone, and other files do not change it", () => {
  const own = Array.from({ length: 40 }, (_, line) => at(line, 0, 1, "true"));
  const first = sampleOf(own, 5, 1);
  expect(first.length).toBe(5);
  expect(sampleOf(own.toReversed(), 5, 1)).toEqual(first);
  expect(sampleOf(own, 5, 2)).not.toEqual(first);
  const others = own.map((mutant) => ({ ...mutant, path: "y.ts" }));
  const more = sampleOf([...own, ...others], 80, 1);
  expect(more.filter(({ path }) => path === "x.ts").slice(0, 5)).toEqual([...first]);
});

test.each([
  ["packages/wrapper/src/lifecycle/effects.ts", "effect"],
  ["packages/wrapper/src/tracer/tracer.ts", "effect"],
  ["packages/wrapper/src/life/advance-life.ts", "pure"],
  ["packages/agent/src/spool/spool.ts", "pure"],
] as const)("%s is of kind %s", (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});
