import { describe, expect, test } from "bun:test";
import { closed } from "../../test/closed.ts";
import { memberReader } from "./envelope.ts";

const request = { operation: "log in", method: "POST", target: "x", path: "x" } as const;

describe("a duration of the vault's in seconds", () => {
  const read = (text: string) => {
    const json = closed(text).parseJson();
    if (typeof json === "string") throw new Error(json);
    return memberReader(request, json, "auth").secondsAsMs("n");
  };

  for (const [text, ms] of [
    ["0", 0],
    ["1", 1000],
    ["2764800", 2_764_800_000],
    ["1.5", 1500],
  ] as const) {
    test(`${text} is ${ms} ms`, () => expect(read(`{"n":${text}}`)).toBe(ms));
  }

  for (const text of ["-1", "-0.001", "-1e300", "1e400", '"60"', "null", "true"]) {
    test(`${text} is refused by name`, () => {
      expect(() => read(`{"n":${text}}`)).toThrow(
        expect.objectContaining({
          code: "BAD_RESPONSE",
          message: expect.stringContaining("auth.n is not a "),
        }),
      );
    });
  }
});
