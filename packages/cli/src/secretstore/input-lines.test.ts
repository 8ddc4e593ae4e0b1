import { describe, expect, test } from "bun:test";
import { CliError } from "../errors.ts";
import { InputLines } from "./input-lines.ts";

async function* stream(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

function linesOf(...texts: readonly string[]) {
  const chunks = texts.map((text) => new TextEncoder().encode(text));
  return { chunks, lines: new InputLines(stream(chunks)) };
}

async function all(lines: InputLines): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const secret = await lines.next("key share");
    if (secret === undefined) return found;
    const bytes = new Uint8Array(secret.byteLength);
    secret.writeTo(bytes);
    found.push(new TextDecoder().decode(bytes));
  }
}

describe("secrets on standard input", () => {
  const rows: readonly (readonly [name: string, chunks: readonly string[], found: string[]])[] = [
    ["gives no lines for an empty input", [], []],
    ["are one a line", ["one\ntwo\n"], ["one", "two"]],
    ["need no newline at the end", ["one\ntwo"], ["one", "two"]],
    ["may have Windows' line ends and spaces around them", [" one \r\ntwo\r\n"], ["one", "two"]],
    ["are not empty lines", ["\n\none\n \n"], ["one"]],
    ["come in pieces", ["o", "ne\nt", "wo"], ["one", "two"]],
  ];
  for (const [name, chunks, found] of rows) {
    test(name, async () => expect(await all(linesOf(...chunks).lines)).toEqual(found));
  }

  const refused: readonly (readonly [name: string, text: string])[] = [
    ["a line that never ends", "x".repeat(20_000)],
    ["a line with other characters", "hunter2 and more\n"],
    ["bytes that are not text", "\u0000\u0001\n"],
  ];
  for (const [name, text] of refused) {
    test(`are refused as ${name}, which is not shown`, async () => {
      const error: unknown = await all(linesOf(text).lines).catch((it: unknown) => it);
      expect(error).toBeInstanceOf(CliError);
      expect(error).toMatchObject({ code: "INPUT_UNUSABLE" });
      expect(String(error)).not.toMatch(/hunter2|xxx/);
    });
  }

  test("leave nothing in the read buffer", async () => {
    const { chunks, lines } = linesOf("one\nt", "wo\nrest");
    await all(lines);
    expect(chunks.every((chunk) => chunk.every((byte) => byte === 0))).toBeTrue();
  });
});
