import { describe, expect, test } from "bun:test";
import { fieldText, isJsonObject, parseExactJson } from "./exact-json.ts";

describe("a field's text", () => {
  test.each([
    ["1.0", "1.0"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e3", "1e3"],
    ["-0", "-0"],
    ["1e400", "1e400"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["true", "true"],
    ["false", "false"],
    ["null", null],
    ['""', ""],
    ['"1.0"', "1.0"],
    ['"line\\nline\\ttab"', "line\nline\ttab"],
    ['"\\u0000"', "\0"],
    ['"größe 🔑"', "größe 🔑"],
    ['{ "a" : [ 1.50 , null, "x" ] }', '{"a":[1.50,null,"x"]}'],
    ['{"__proto__": 12345678901234567890}', '{"__proto__":12345678901234567890}'],
    ["[]", "[]"],
  ])("of %s is %j", (source, expected) => {
    const parsed = parseExactJson(`{"field":${source}}`);
    const { field } = isJsonObject(parsed) ? parsed : {};
    expect(field === undefined ? undefined : fieldText(field)).toBe(expected);
  });

  test("keeps a field called __proto__", () => {
    const parsed = parseExactJson('{"__proto__":"x"}');
    expect(isJsonObject(parsed) && Object.entries(parsed)).toEqual([["__proto__", "x"]]);
  });

  test.each(["", "{", "canary", '{"a":01}', "[".repeat(100_000)])("undefined for %p", (text) => {
    expect(parseExactJson(text)).toBeUndefined();
  });
});
