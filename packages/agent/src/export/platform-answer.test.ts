import { describe, expect, test } from "bun:test";
import { excerptOf, platformAnswer } from "./platform-answer.ts";

const token = 'aToken+of/a&"platform"';
const headers = new Map([
  ["authorization", `Bearer ${token}`],
  ["x-tenant", "1"],
]);

describe("an excerpt of an answer has no value of a header, quoted", () => {
  const rows: Readonly<Record<string, string>> = {
    "as it is": `Bearer ${token}`,
    "without its scheme": token,
    "in HTML": "aToken+of/a&amp;&quot;platform&quot;",
    "in HTML by numbers": "aToken+of/a&amp;&#34;platform&#34;",
    "in a query": encodeURIComponent(token),
    "in JSON": JSON.stringify(token),
    "in base64": Buffer.from(token).toString("base64"),
    "cut off": token.slice(0, 12),
  };
  for (const [name, text] of Object.entries(rows)) {
    test(name, () => {
      const excerpt = excerptOf(`<p>no such token: ${text}</p> tenant 1`, headers);
      expect(excerpt).toStartWith("<p>no such token: ");
      expect(excerpt).toContain("[a header]");
      for (const part of ["aToken", "YVRva2Vu"]) expect(excerpt).not.toContain(part);
      expect(excerpt).toContain("tenant 1");
    });
  }
});

describe("an excerpt is one bounded line of printable ASCII:", () => {
  const rows: readonly (readonly [name: string, text: string, excerpt: string])[] = [
    ["lines and blanks", "  a\n\tb\r\n c ", "a b c"],
    ["codes for a terminal", "\u001b[2Ja\u0007", "\\u{1b}[2Ja\\u{7}"],
    ["marks that turn text around", "a\u202eb", "a\\u{202e}b"],
    ["other letters", "ä😀", "\\u{e4}\\u{1f600}"],
    ["a long text", "x".repeat(300), `${"x".repeat(200)}…`],
    ["nothing", "", ""],
  ];
  for (const [name, text, excerpt] of rows) {
    test(name, () => expect(excerptOf(text, headers)).toBe(excerpt));
  }

  test("bytes that are not UTF-8, and a long type", () => {
    const type = `text/html; ${"x".repeat(100)}`;
    const found = platformAnswer({ status: 502, contentType: type }, Uint8Array.of(255), headers);
    expect(found).toEqual({
      ...{ status: 502, excerpt: "\\u{fffd}" },
      contentType: `${type.slice(0, 80)}…`,
    });
  });
});
