import { describe, expect, test } from "bun:test";
import type { LifeEffect } from "../life/life.ts";
import { begin, Story, started, time } from "../life/testdata/story.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import { LifeRunner } from "./life-runner.ts";

const { context } = new Story(settingsOf(least));

function runnerOf(onMistake: (error: unknown) => void = () => undefined): LifeRunner {
  return new LifeRunner(() => context, onMistake);
}

describe("the runner of the lifecycle", () => {
  test("keeps events until it is started", () => {
    const runner = runnerOf();
    const performed: LifeEffect["kind"][] = [];
    runner.dispatch(begin);
    expect(runner.life.phase).toEqual({ kind: "starting", reason: "the wrapper starts" });
    runner.start(({ kind }) => void performed.push(kind));
    expect(performed).toEqual(["tell phase", "start program"]);
  });

  test("carries all effects of an event out before it takes the next one", () => {
    const runner = runnerOf();
    const performed: string[] = [];
    runner.start(({ kind }) => {
      performed.push(kind);
      if (kind === "tell phase" && performed.length === 1) runner.dispatch(started());
    });
    runner.dispatch(begin);
    expect(performed).toEqual([
      ...["tell phase", "start program"],
      ...["open health port", "follow program", "measure protection", "tell phase", "wait"],
    ]);
    expect(runner.life.stage.kind).toBe("running");
  });

  test("says that it has advanced before the effects of an event", () => {
    const runner = runnerOf();
    const heard: string[] = [];
    runner.start(
      ({ kind }) => void heard.push(kind),
      () => void heard.push(`advanced to ${runner.life.stage.kind}`),
    );
    runner.dispatch(begin);
    expect(heard).toEqual(["advanced to beginning", "tell phase", "start program"]);
  });

  test("takes no event after a mistake, which it reports once", () => {
    const mistakes: unknown[] = [];
    const runner = runnerOf((error) => void mistakes.push(error));
    const mistake = new TypeError("a bug");
    runner.start(() => {
      throw mistake;
    });
    runner.dispatch(begin);
    runner.dispatch(started());
    runner.dispatch(time);
    expect(mistakes).toEqual([mistake]);
    expect(runner.life.stage.kind).toBe("beginning");
  });
});
