import { describe, expect, test } from "bun:test";
import { countCopies } from "./count-copies.ts";

const canaries = { value: "canary-value", token: "canary-token" };

describe("copies are counted:", () => {
  const rows: Readonly<Record<string, readonly [pieces: string[], value: number, token: number]>> =
    {
      "none in nothing": [[], 0, 0],
      "none in other bytes": [["canary-valu", "canary-other"], 0, 0],
      "each of several in a piece": [["canary-value canary-value\0canary-token"], 2, 1],
      "those that touch": [["canary-valuecanary-value"], 2, 0],
      "those of all pieces": [["canary-value", "canary-value", "canary-token"], 2, 1],
      "at the very end": [["....canary-token"], 0, 1],
    };
  for (const [name, [pieces, value, token]] of Object.entries(rows)) {
    test(name, () => {
      const buffers = pieces.map((text) => Buffer.from(text));
      const bytes = pieces.join("").length;
      expect(countCopies(buffers, canaries)).toEqual({ value, token, bytes });
    });
  }
});
