import { describe, expect, test } from "bun:test";
import { MOST_REASON, MOST_SECONDS, parseBreakGlassRequest } from "./break-glass-request.ts";

describe("a request to open the guards", () => {
  const requests = [
    { ask: "open", seconds: 1, reason: "a driver" },
    { ask: "open", seconds: MOST_SECONDS, reason: "a".repeat(MOST_REASON) },
    { ask: "close", reason: "it is in" },
    { ask: "remove", reason: "uninstall" },
  ] as const;
  for (const request of requests) {
    test(`to ${request.ask}, as it is written`, () => {
      expect(parseBreakGlassRequest(JSON.stringify(request))).toEqual({ ...request });
    });
  }

  const others: readonly (readonly [name: string, text: string])[] = [
    ["nothing", ""],
    ["no JSON", "open"],
    ["null", "null"],
    ["a list", "[]"],
    ["another request", '{"ask":"shut","reason":"x"}'],
    ["no reason", '{"ask":"close"}'],
    ["a blank reason", '{"ask":"close","reason":" "}'],
    ["a reason that is a number", '{"ask":"close","reason":1}'],
    ["a long reason", JSON.stringify({ ask: "close", reason: "a".repeat(MOST_REASON + 1) })],
    ["no time", '{"ask":"open","reason":"x"}'],
    ["no time at all", '{"ask":"open","seconds":0,"reason":"x"}'],
    ["an invalid time", '{"ask":"open","seconds":"9","reason":"x"}'],
    ["half a second", '{"ask":"open","seconds":0.5,"reason":"x"}'],
    ["for ever", JSON.stringify({ ask: "open", seconds: MOST_SECONDS + 1, reason: "x" })],
  ];
  for (const [name, text] of others) {
    test(`is not ${name}`, () => expect(parseBreakGlassRequest(text)).toBeUndefined());
  }

  test("has no other member of the message", () => {
    const text = '{"ask":"close","reason":"x","seconds":5,"more":1}';
    expect(parseBreakGlassRequest(text)).toEqual({ ask: "close", reason: "x" });
  });
});
