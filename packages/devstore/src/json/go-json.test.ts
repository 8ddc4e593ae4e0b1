import { expect, test } from "bun:test";
import { goJson, goStruct } from "./go-json.ts";
import type { JsonValue } from "./json.ts";

const ROWS: readonly (readonly [name: string, value: JsonValue, wanted: string])[] = [
  [
    "sorts keys by their bytes",
    { b: 1, "10": 2, "9": 3, a: { z: 1, y: 2 } },
    '{"10":2,"9":3,"a":{"y":2,"z":1},"b":1}',
  ],
  [
    "sorts letters beyond the basic plane after the others",
    { "\u{1F600}": 1, "\uFFFD": 2 },
    '{"\uFFFD":2,"\u{1F600}":1}',
  ],
  ["escapes characters that HTML would misread", "<a>&\u2028", '"\\u003ca\\u003e\\u0026\\u2028"'],
  ["keeps the sign of zero", [-0, 0], "[-0,0]"],
  ["writes numbers as Go does", [1e21, 1e-7, 1.5, 100], "[1e+21,1e-7,1.5,100]"],
  ["replaces half a surrogate pair", "\ud800x", '"\ufffdx"'],
  ["keeps a key named __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
];

for (const [name, value, wanted] of ROWS) {
  test(name, () => {
    expect(goJson(value)).toBe(wanted);
  });
}

test("a struct keeps the order of its fields", () => {
  expect(goStruct({ b: 1, a: { d: 1, c: 2 } })).toBe('{"b":1,"a":{"c":2,"d":1}}');
});
