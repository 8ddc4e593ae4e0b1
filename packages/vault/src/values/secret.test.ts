import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { closed } from "../../test/closed.ts";
import { failure } from "../../test/test-server.ts";
import { Secret } from "./secret.ts";

describe("Secret", () => {
  const secret = new Secret("hvs.canary\n");

  test.each([
    ["string conversion", String(secret)],
    ["a template", `${secret}`],
    ["JSON", JSON.stringify({ secret })],
    ["node's inspect", inspect({ secret }, { depth: 9, showHidden: true })],
    ["Bun's inspect", Bun.inspect({ secret })],
    ["own properties", JSON.stringify(Object.getOwnPropertyDescriptors(secret))],
  ])("shows nothing through %s", (_way, shown) => {
    expect(shown).not.toContain("canary");
  });

  test("drops white space around, so that a token file's newline is not sent", () => {
    expect(secret.bytes.open([])).toBe("hvs.canary");
  });

  test("is the same from text, from bytes and from a closed secret", () => {
    for (const source of ["abc", new TextEncoder().encode("abc"), closed("abc\n")]) {
      expect(new Secret(source).bytes.open([])).toBe("abc");
    }
  });

  test("writes its bytes into given memory", () => {
    const memory = new Uint8Array(16);
    expect(secret.writeTo(memory)).toBe(secret.byteLength);
    expect(new TextDecoder().decode(memory)).toBe(`hvs.canary${"\0".repeat(6)}`);
  });

  test("refuses memory that is too short", () => {
    expect(() => secret.writeTo(new Uint8Array(3))).toThrow(RangeError);
  });

  test.each([
    ["empty text", " \n"],
    ["a line break inside", "a\r\nX-Evil: canary"],
    ["a space inside", "canary two"],
    ["text beyond ASCII", "canaryé"],
    ["bytes that are not UTF-8", new Uint8Array([0xff, 0xfe])],
  ])("refuses %s without repeating it", async (_what, source) => {
    const error = await failure(Promise.try(() => new Secret(source)));
    expect(error.code).toBe("INVALID_INPUT");
    expect(error.message).not.toContain("canary");
  });
});
