import { describe, expect, test } from "bun:test";
import { hasRepeatedKey } from "./repeated-key.ts";

describe("a repeated key", () => {
  test.each([
    '{"a":1,"a":2}',
    '{"a":1 , "a" : 1}',
    '{"a":1,"b":{},"a":2}',
    '{"x":{"y":[{"a":1,"a":1}]}}',
    '[{"a":1},{"b":1,"b":2}]',
    '{"a":1,"\\u0061":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
    '{"a":"}","a":"{"}',
  ])("is found in %s", (text) => {
    JSON.parse(text);
    expect(hasRepeatedKey(text)).toBe(true);
  });

  test.each([
    "{}",
    '"a"',
    '{"a":"a"}',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1},"a","a"]',
    '{"a":"\\"a\\":1","b":"a\\\\","A":1}',
    '{"a":["a","a",{"a":"a"}],"b":"\\\\\\""}',
  ])("is none in %s", (text) => {
    JSON.parse(text);
    expect(hasRepeatedKey(text)).toBe(false);
  });

  test("is looked for in ten megabytes of values at once", () => {
    const fields = Array.from({ length: 5000 }, (_, index) => [`KEY_${index}`, "x\\".repeat(1000)]);
    expect(hasRepeatedKey(JSON.stringify(Object.fromEntries(fields)))).toBe(false);
  });
});
