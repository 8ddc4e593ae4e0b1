import { describe, expect, test } from "bun:test";
import { longFunctions } from "./long-functions.ts";

/** A number of lines of code, with blocks and a text that is indented less. */
function body(count: number): string {
  const lines = ["  if (a) {", "", "  }", "  const text = `", "x", "`;"];
  return [...lines, ...Array.from({ length: count - lines.length }, () => "  call();")].join("\n");
}

describe("a function of more than 60 lines", () => {
  const rows: readonly (readonly [name: string, head: string, tail: string])[] = [
    ["is refused", "function f() {", "}"],
    ["with a type of its result is refused", "export async function f(): Promise<void> {", "}"],
    ["without a name is refused", "const f = (): void => {", "};"],
    ["as an argument is refused", 'call("x", async ({ a }) => {', "});"],
    ["as a method is refused", "get f() {", "}"],
  ];
  for (const [name, head, tail] of rows) {
    test(name, () => {
      const problem = "has a function of 61 lines at line 1: at most 60";
      expect(longFunctions(fileOf(head, body(59), tail))).toEqual([problem]);
      expect(longFunctions(fileOf(head, body(58), tail))).toEqual([]);
    });
  }

  test("counts its signature", () => {
    const found = longFunctions(fileOf("", "function f(", "  a: A,", "): B {", body(57), "}"));
    expect(found).toEqual(["has a function of 61 lines at line 2: at most 60"]);
  });
});

test("a long block of another kind is fine", () => {
  for (const head of ["if (a) {", "for (const a of b) {", "while (a) {", "switch (a) {"]) {
    expect(longFunctions(fileOf(head, body(80), "}"))).toEqual([]);
  }
  expect(longFunctions(fileOf("if (", "  a", ") {", body(80), "}"))).toEqual([]);
});

function fileOf(...lines: readonly string[]) {
  return { path: "scripts/a.ts", name: "a.ts", text: lines.join("\n") };
}
