import { rotationOf } from "../settings/rotation-traits.ts";
import type { VaultSettings, WrapperSettings } from "../settings.ts";
import type { Activity, Life } from "./life.ts";

/** A courier keeps SVC_START_DEADLINE by itself, and can say best why it was missed. */
const STEP_SLACK_MS = 1000;
/** As for SVC_START_DEADLINE=0, which is a single try: courier/connect.ts. */
const SINGLE_TRY_MS = 60_000;
/** Steps of a start, each with its own deadline: all at once, or fetch, registration, delivery. */
const [START_STEPS, START_STEPS_WITH_AGENT] = [1, 3];
/** Steps of a rotation: fetch, registration if there is an agent, delivery. */
const [ROTATION_STEPS, ROTATION_STEPS_WITH_AGENT] = [2, 3];
/** A courier that hangs is ended; its own limits are well below. */
const ERRAND_MS = 60_000;
/** Until the variables of a running program lead to new values; lifecycle/refresh.ts. */
const POINTING_MS = 5000;
/** For the work after the last step, and the machine's own delays. */
const STAGE_SLACK_MS = 3000;
/** For the revocation of the token, and for processes that are killed. */
const CLEARING_MS = 15_000;

type Settings = Pick<WrapperSettings, "startDeadlineMs" | "stopGraceMs" | "vault" | "rotation">;

/** The time in which a courier has to have come a step further. Pure. */
export function stepDeadlineMs({ startDeadlineMs }: Pick<Settings, "startDeadlineMs">): number {
  return startDeadlineMs === 0 ? SINGLE_TRY_MS : startDeadlineMs;
}

/** The time in which the supervisor hears of a step, or ends it. Pure. */
export function longestStepMs(settings: Pick<Settings, "startDeadlineMs">): number {
  return stepDeadlineMs(settings) + STEP_SLACK_MS;
}

/** The time in which a courier that does not deliver has to answer. Pure. */
export function longestErrandMs({ vault }: { readonly vault?: RequestLimit }): number {
  return ERRAND_MS + (vault?.requestTimeoutMs ?? 0);
}

type RequestLimit = Pick<VaultSettings, "requestTimeoutMs">;

/** The name of a stage with an end, and its longest time. */
export interface BoundedStage {
  readonly name: string;
  readonly longestMs: number;
}

type BoundSettings = Settings & { readonly hasAgent: boolean };

/**
 * The stage of a life, if it may last a bounded time only: a wrapper that is in it for longer has
 * lost the event that it waits for. Undefined for the others. Pure.
 */
export function boundedStage({ stage }: Life, settings: BoundSettings): BoundedStage | undefined {
  const { hasAgent, stopGraceMs } = settings;
  const startMs = stepsMs(settings, hasAgent ? START_STEPS_WITH_AGENT : START_STEPS);
  switch (stage.kind) {
    case "beginning":
      return { name: "beginning", longestMs: startMs };
    case "ending":
      return { name: "ending", longestMs: stopGraceMs + CLEARING_MS };
    case "running":
      return boundedActivity(stage.activity, settings);
    case "sealed":
    case "pausing":
      return undefined;
  }
}

function boundedActivity({ kind }: Activity, settings: BoundSettings): BoundedStage | undefined {
  switch (kind) {
    case "rotating":
      return { name: "rotating", longestMs: longestRotationMs(settings) };
    case "asking":
      return { name: "asking", longestMs: longestErrandMs(settings) + STAGE_SLACK_MS };
    case "draining":
      return { name: "draining", longestMs: settings.rotation.drainMs + STAGE_SLACK_MS };
    case "none":
    case "waiting":
    case "checking":
    case "unsealing":
      return undefined;
  }
}

function longestRotationMs(settings: BoundSettings): number {
  const { hasAgent, stopGraceMs } = settings;
  if (rotationOf(settings).refreshes) {
    return longestErrandMs(settings) + POINTING_MS + STAGE_SLACK_MS;
  }
  return stopGraceMs + stepsMs(settings, hasAgent ? ROTATION_STEPS_WITH_AGENT : ROTATION_STEPS);
}

function stepsMs(settings: BoundSettings, steps: number): number {
  return steps * longestStepMs(settings) + STAGE_SLACK_MS;
}
