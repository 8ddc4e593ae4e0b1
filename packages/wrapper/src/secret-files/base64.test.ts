import { describe, expect, test } from "bun:test";
import { decodeBase64 } from "./base64.ts";

describe("decodeBase64", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const read: readonly (readonly [name: string, text: string, bytes: readonly number[]])[] = [
    ["nothing", "", []],
    ["one byte", "AA==", [0]],
    ["two bytes", "AAE=", [0, 1]],
    ["three bytes", "AAEC", [0, 1, 2]],
    ["without padding", "AAECAw", [0, 1, 2, 3]],
    ["both alphabets", "+/-_", [0xfb, 0xff, 0xbf]],
    ["lines", "AAEC\nAwQF\r\n", [0, 1, 2, 3, 4, 5]],
    ["blanks around the padding", " A A = = ", [0]],
  ];
  for (const [name, text, bytes] of read) {
    test(`reads ${name}, and leaves zeroes behind`, () => {
      const place = bytesOf(text);
      expect(decodeBase64(place)).toBe(bytes.length);
      expect([...place.subarray(0, bytes.length)]).toEqual([...bytes]);
      expect(place.subarray(bytes.length).every((byte) => byte === 0)).toBe(true);
    });
  }

  test("reads the text of encoders, for random bytes", () => {
    for (let round = 0; round < 200; round += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.floor(Math.random() * 200)));
      const text = Buffer.from(bytes).toString("base64");
      for (const one of [text, text.replaceAll("+", "-").replaceAll("/", "_")]) {
        const place = bytesOf(one);
        expect(decodeBase64(place)).toBe(bytes.length);
        expect(place.subarray(0, bytes.length)).toEqual(bytes);
      }
    }
  });

  for (const text of [
    "A",
    "AAAAA",
    "A===",
    "AA=",
    "AAA==",
    "AA==A",
    "=",
    "AA\0A",
    "AA.A",
    "pässe",
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(decodeBase64(bytesOf(text))).toBeUndefined();
    });
  }
});
