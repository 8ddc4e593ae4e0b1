import { describe, expect, test } from "bun:test";
import { reconnectPauseMs } from "./agent-pace.ts";

describe("the pause before the next try", () => {
  const counts = [1, 2, 3, 4, 8, 1000];
  const rows = [
    ["socket", false, [0, 0, 0, 750, 750, 750], [250, 500, 1000, 1500, 1500, 1500]],
    ["socket", true, [0, 0, 0, 0, 0, 0], [500, 1000, 2000, 4000, 30_000, 30_000]],
    ["tcp", false, [0, 0, 0, 0, 0, 0], [500, 1000, 2000, 4000, 30_000, 30_000]],
  ] as const;
  for (const [target, isRefused, least, most] of rows) {
    test(`of the agent at a ${target}${isRefused ? " that refuses" : ""}`, () => {
      const pauses = (random: number) =>
        counts.map((count) => reconnectPauseMs({ target, count, isRefused }, random));
      expect([pauses(0), pauses(1)]).toEqual([[...least], [...most]]);
    });
  }

  test("leaves time to register within 2 s of an agent's return to its socket", () => {
    const longest = Math.max(
      ...Array.from({ length: 100 }, (_, count) =>
        reconnectPauseMs({ target: "socket", count, isRefused: false }, 1),
      ),
    );
    expect(longest).toBeLessThanOrEqual(1500);
  });
});
