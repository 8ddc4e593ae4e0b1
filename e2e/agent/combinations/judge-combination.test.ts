import { expect, test } from "bun:test";
import { judgeCombination } from "./judge-combination.ts";

const none = { finds: 0, looters: [] };
const found = { finds: 3, looters: [[10, 11]] } as const;

const rows = [
  ["a find without any event is silent", found, [], "silent"],
  ["an event of another process does not help", found, [{ pid: 12 }], "silent"],
  ["a find is seen by an event of the opener", found, [{ pid: 10 }], "seen"],
  ["or by one of the holder", found, [{ pid: 11 }], "seen"],
  [
    "one silent find among others is enough",
    { finds: 2, looters: [...found.looters, [20, 0]] },
    [{ pid: 10 }],
    "silent",
  ],
  ["an event without a find means that it was stopped", none, [{ pid: 10 }], "stopped"],
  ["nothing at all is harmless", none, [], "harmless"],
] as const;

for (const [name, answer, actors, verdict] of rows) {
  test(name, () => {
    expect(judgeCombination(answer, actors)).toBe(verdict);
  });
}
