import { describe, expect, test } from "bun:test";
import type { SurvivalStory } from "./guest/run-survival.ts";

const guarded = { setting: "refused", memory: "refused" } as const;
const opened = { setting: "written", memory: "refused" } as const;

/** The assertions for every kernel whose hooks refuse. */
export function testSurvival(kernel: string, story: SurvivalStory): void {
  describe(`on ${kernel} the protection by an agent`, () => {
    test("stays stopped while agents crash, end and follow one another", () => {
      const { all, refused, leaked } = story.attempts;
      expect(all).toBeGreaterThan(100);
      expect({ refused, leaked }).toEqual({ refused: all, leaked: 0 });
    });

    test("is taken over by the next one, each time, and reported", () => {
      expect(story.adoptions).toBe(2);
    });

    test("is not taken over while it runs", () => {
      expect(story.secondAgent).toBe("AGENT_RUNNING");
    });

    test("is opened by root, for a while, except for registered programs", () => {
      expect(story.moments).toMatchObject({
        "it runs": guarded,
        "a break-glass": opened,
        "it is closed again": guarded,
      });
      expect(story.breakGlass).toMatchObject({
        open: "the guards are open for 3600 s",
        close: "the guards are closed",
      });
    });

    test("is reported by the agent that is opened", () => {
      const asked = story.told.filter((word) => word.startsWith("agent_break_glass"));
      expect(asked).toEqual(["agent_break_glass open", "agent_break_glass close"]);
    });

    test("goes on without an agent, and opens by itself later, except for registered programs", () => {
      expect(story.moments).toMatchObject({
        "it has ended": guarded,
        "no agent has come for long": opened,
      });
    });

    test("opens all the same if one is started again and again that does not get far", () => {
      expect(story.failingAgent).toBe("SOCKET_UNUSABLE");
    });

    test("can be taken away then", () => {
      expect(story.breakGlass["remove"]).toContain("the pinned programs are removed");
      expect(story.hasPins).toBe(false);
    });
  });
}
