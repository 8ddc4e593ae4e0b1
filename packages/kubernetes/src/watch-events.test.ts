import { describe, expect, test } from "bun:test";
import { type WatchEvent, watchEvents } from "./watch-events.ts";

const added = { type: "ADDED", object: { metadata: { name: "ä" } } };
const gone = { type: "DELETED", object: { metadata: { name: "ö" } } };
const text = `${JSON.stringify(added)}\n${JSON.stringify(gone)}\n`;

/** An answer whose body comes in pieces of a number of bytes. */
function inPieces(body: string, bytes: number): Response {
  const whole = new TextEncoder().encode(body);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < whole.length; from += bytes) {
    pieces.push(whole.slice(from, from + bytes));
  }
  return new Response(
    new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    }),
  );
}

async function all(response: Response, longest?: number): Promise<readonly WatchEvent[]> {
  return Array.fromAsync(watchEvents(response, longest));
}

describe("the events of a watch are read", () => {
  for (const bytes of [1, 2, 7, 40, 1000]) {
    test(`in pieces of ${bytes} bytes`, async () => {
      expect(await all(inPieces(text, bytes))).toEqual([added, gone]);
    });
  }

  test("without the last one if it is cut", async () => {
    expect(await all(inPieces(text.slice(0, -3), 9))).toEqual([added]);
  });

  test("over empty lines", async () => {
    expect(await all(inPieces(`\n\r\n${text}\n`, 5))).toEqual([added, gone]);
  });
});

describe("an answer is refused that has", () => {
  const cases: readonly (readonly [name: string, body: string])[] = [
    ["no JSON", "<html>\n"],
    ["a list", `{"items":[]}\n`],
    ["a number", "5\n"],
    ["a line without an end", `"${"x".repeat(200)}`],
  ];
  for (const [name, body] of cases) {
    test(name, async () => {
      const failed = await all(inPieces(body, 10), 100).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
    });
  }
});
