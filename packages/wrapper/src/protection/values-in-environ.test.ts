import { describe, expect, test } from "bun:test";
import { placeholderValue } from "@svc/protocol";
import { valuesInEnviron } from "./values-in-environ.ts";

const names = ["A", "B", "spring.datasource.password", "GRÖSSE"];

describe("valuesInEnviron", () => {
  const rows: readonly (readonly [name: string, entries: readonly string[], count: number])[] = [
    ["an empty block", [], 0],
    ["a block without them", ["PATH=/bin", "A_B=c", "=odd", "C"], 0],
    ["a name without a value", ["A", "AB", "B"], 0],
    ["placeholders", [`A=${placeholderValue}`, `B=${placeholderValue}`], 0],
    ["one value", [`A=${placeholderValue}`, "B=secret"], 1],
    ["two values", ["A=x", "PATH=/bin", "B=y"], 2],
    ["a value that begins like a placeholder", [`A=${placeholderValue}!`], 1],
    ["a value that ends too early for one", [`A=${placeholderValue.slice(0, -1)}`], 1],
    ["a value as long as a placeholder", [`A=x${placeholderValue.slice(1)}`], 1],
    ["a copy that was wiped", ["A=", "", "", ""], 0],
    ["a value with an equals sign", ["A=b=c"], 1],
    ["a value under a name with dots", ["spring.datasource.password=x"], 1],
    ["a value under a name beyond ASCII", ["GRÖSSE=x", "GROSSE=y"], 1],
  ];
  for (const [name, entries, count] of rows) {
    test(`counts ${count} in ${name}`, () => {
      const block = new TextEncoder().encode(entries.map((entry) => `${entry}\0`).join(""));
      expect(valuesInEnviron(block, names)).toBe(count);
    });
  }

  test("counts in a block whose last entry has no end", () => {
    expect(valuesInEnviron(new TextEncoder().encode("C=d\0A=b"), names)).toBe(1);
  });
});
