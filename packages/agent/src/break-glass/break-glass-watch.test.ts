import { describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { BreakGlassWatch } from "./break-glass-watch.ts";

const opening = { reason: "a driver", actor: { pid: 7, uid: 0, name: "bash" } };

type Told = readonly [kind: string, facts: Readonly<Record<string, unknown>>];

/** Guards whose end is a moment of this process. */
function stage(untilMs = 0) {
  const told: Told[] = [];
  const guards = { untilMs };
  const watch = new BreakGlassWatch({
    state: {
      close: () => {
        guards.untilMs = 0;
      },
      openFor: () => Math.max(0, Math.ceil(guards.untilMs - performance.now())),
      wereOpened: () => guards.untilMs !== 0,
    },
    tell: (kind, facts) => told.push([kind, facts]),
  });
  return { told, guards, watch };
}

const ended = (how: string): Told => [
  "agent_break_glass_ended",
  { how, reason: opening.reason, openedBy: opening.actor },
];

describe("the end of a break-glass is reported", () => {
  test("when the guards close by themselves", async () => {
    const { told, guards, watch } = stage();
    watch.begin();
    expect(told).toEqual([]);
    guards.untilMs = performance.now() + 50;
    watch.opened(opening);
    expect(told).toEqual([]);
    await waitFor(() => told.length > 0, { deadlineMs: 20_000, what: "the end" });
    expect(told).toEqual([ended("expired")]);
    expect(guards.untilMs).toBe(0);
  });

  test("when root closes them, once", () => {
    const { told, guards, watch } = stage();
    guards.untilMs = performance.now() + 60_000;
    watch.opened(opening);
    guards.untilMs = 0;
    watch.closed();
    watch.closed();
    expect(told).toEqual([ended("closed")]);
  });

  test("not when the guards were closed all the time", () => {
    const { told, watch } = stage();
    watch.begin();
    watch.closed();
    expect(told).toEqual([]);
  });

  test("once, when a longer time takes the place of a shorter one", () => {
    const { told, guards, watch } = stage();
    guards.untilMs = performance.now() + 60_000;
    watch.opened({ ...opening, reason: "first" });
    guards.untilMs = performance.now() + 120_000;
    watch.opened(opening);
    guards.untilMs = 0;
    watch.closed();
    expect(told).toEqual([ended("closed")]);
  });

  test("by the next agent, which finds them open", () => {
    const { told, guards, watch } = stage(performance.now() + 60_000);
    watch.begin();
    expect(told).toEqual([
      [
        "agent_break_glass",
        { asked: "found_open", seconds: expect.any(Number), until: expect.any(String) },
      ],
    ]);
    guards.untilMs = 0;
    watch.closed();
    expect(told[1]).toEqual(["agent_break_glass_ended", { how: "closed" }]);
  });

  test("by the next agent, if they have closed while none ran", () => {
    const { told, guards, watch } = stage(performance.now() - 1);
    watch.begin();
    expect(told).toEqual([["agent_break_glass_ended", { how: "expired" }]]);
    expect(guards.untilMs).toBe(0);
  });
});
