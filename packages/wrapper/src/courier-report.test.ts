import { describe, expect, test } from "bun:test";
import { becomingMessage, failureMessage, readReport } from "./courier-report.ts";

const failures = [{ code: "FIELD_MISSING", message: "deliver A: no field" }] as const;
const text = (...messages: readonly Uint8Array[]) =>
  messages.map((message) => new TextDecoder().decode(message)).join("");

const cases = [
  ["nothing means that it died", "", { kind: "died" }],
  [
    "the announcement alone means that it became the program",
    text(becomingMessage()),
    { kind: "became the program" },
  ],
  ["failures are read back", text(failureMessage(failures)), { kind: "failed", failures }],
  [
    "a failed execve follows its announcement",
    text(becomingMessage(), failureMessage(failures)),
    { kind: "failed", failures },
  ],
  [
    "half a report means that it died",
    text(failureMessage(failures)).slice(0, 20),
    { kind: "died" },
  ],
] as const;

describe("a courier's report", () => {
  for (const [name, written, report] of cases) {
    test(name, () => expect<unknown>(readReport(written)).toEqual(report));
  }
});
