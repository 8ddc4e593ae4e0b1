import { describe, expect, test } from "bun:test";
import { Secret } from "../values/secret.ts";
import { type JsonMember, jsonBody } from "./json-body.ts";

describe("a JSON body", () => {
  const rows: readonly (readonly [Readonly<Record<string, JsonMember>>, string])[] = [
    [{}, "{}"],
    [{ left: undefined }, "{}"],
    [{ a: "x\n", b: 1, c: true }, '{"a":"x\\n","b":1,"c":true}'],
    [{ left: undefined, list: ["a"], map: { b: "c" } }, '{"list":["a"],"map":{"b":"c"}}'],
    [{ 'a"b': new Secret('s"\\') }, '{"a\\"b":"s\\"\\\\"}'],
    [{ first: new Secret("one"), second: new Secret("two") }, '{"first":"one","second":"two"}'],
  ];
  for (const [members, text] of rows) {
    test(`is ${text}`, () => {
      const parts = jsonBody(members).map((part) =>
        typeof part === "string" ? part : JSON.stringify(part.open([])).slice(1, -1),
      );
      expect(parts.join("")).toBe(text);
    });
  }
});
