import { expect, test } from "bun:test";
import type { VaultSettings, WrapperSettings } from "../settings.ts";
import { newLife } from "./advance-life.ts";
import type { Life, Stage } from "./life.ts";
import { boundedStage, longestStepMs } from "./longest-stage.ts";

const restarting: WrapperSettings["rotation"] = {
  ...({ mode: "restart", debounceMs: 0, splayMs: 0, minIntervalMs: 0 } as const),
  ...({ renewalIntervalMs: 1000, staleAfterMs: 1000, by: "program", drainMs: 9000 } as const),
};
const rotation = (mode: "restart" | "sighup") => ({ rotation: { ...restarting, mode } });
const settings = {
  ...{ startDeadlineMs: 10_000, stopGraceMs: 5_000, hasAgent: false },
  ...{ vault: { requestTimeoutMs: 10_000 } as VaultSettings, ...rotation("restart") },
};
const running = {
  ...({
    kind: "running",
    startedAtMs: 0,
    rotatedAtMs: 0,
    rotateAtMs: 0,
    failedRotations: 0,
    isOutdated: false,
    permit: { kind: "none" },
  } as const),
  checks: { count: 0, failures: 0, unstarted: 0, hurry: false, tookMs: 0 },
};
const rotating: Stage = { ...running, activity: { kind: "rotating" } };
const checking: Stage = { ...running, activity: { kind: "waiting", next: "check", checkAtMs: 0 } };
const exit = { kind: "signal", signal: 15 } as const;
const lifeIn = (stage: Stage): Life => ({ ...newLife, stage });

test.each<readonly [Stage, object, number | undefined]>([
  [{ kind: "beginning" }, {}, 14_000],
  [{ kind: "beginning" }, { hasAgent: true }, 36_000],
  [{ kind: "beginning" }, { startDeadlineMs: 0 }, 64_000],
  // A fetch and a delivery, with the old program's end between.
  [rotating, {}, 30_000],
  [rotating, { hasAgent: true }, 41_000],
  // No step of a start: the courier that refreshes has a separate limit.
  [rotating, { startDeadlineMs: 1000, ...rotation("sighup") }, 78_000],
  [{ kind: "ending", exit, onSignal: "exit" }, {}, 20_000],
  [{ ...running, activity: { kind: "asking", checkAtMs: 0 } }, {}, 73_000],
  [{ ...running, activity: { kind: "draining" } }, {}, 12_000],
  [checking, {}, undefined],
  [{ kind: "sealed" }, {}, undefined],
  [{ kind: "pausing", attempt: 1 }, {}, undefined],
])("%j with %j lasts %p ms at most", (stage, others, longestMs) => {
  const bounded = boundedStage(lifeIn(stage), { ...settings, ...others });
  expect(bounded?.longestMs).toBe(longestMs as number);
});

test("a step lasts no longer than a single try if there is no deadline", () => {
  expect(longestStepMs({ startDeadlineMs: 0 })).toBe(61_000);
});
