import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../agent-error.ts";
import { eventLine } from "../testdata/event-line.ts";
import { decodeEvent } from "./decode-event.ts";

interface Vector {
  readonly name: string;
  readonly input: string;
  readonly expect?: object;
  readonly error?: string;
}

const file = join(import.meta.dirname, "../../../../formats/vectors/event/cases.json");
// Our own file; a case of another shape fails its assertions.
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Vector[] };

describe("decodeEvent", () => {
  for (const vector of cases) {
    const { name, error } = vector;
    if (error === undefined) {
      test(`reads ${name}`, () => {
        expect(eventLine(decode(vector.input))).toBe(JSON.stringify(vector.expect));
      });
    } else {
      test(`refuses ${name}`, () => {
        const refusal = thrown(() => decode(vector.input));
        expect(refusal).toBeInstanceOf(AgentError);
        expect(refusal).toMatchObject({ code: "EVENT_UNREADABLE" });
        expect(String(refusal)).toContain(`unknown ${error} `);
      });
    }
  }

  test("an event is one line, for every name of its actor", () => {
    const vector = cases.find(({ name }) => name.includes("escape sequence"));
    const line = eventLine(decode(vector?.input ?? ""));
    expect(line).not.toMatch(/[\p{Cc}]/u);
  });
});

/** From the middle of other bytes, as it is in a ring. */
function decode(hex: string) {
  const bytes = Buffer.from(`${"aa".repeat(24)}${hex}${"bb".repeat(24)}`, "hex");
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return decodeEvent(data, 24, hex.length / 2);
}

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
