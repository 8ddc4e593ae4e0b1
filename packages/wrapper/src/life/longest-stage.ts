import type { WrapperSettings } from "../settings.ts";
import type { Life } from "./life.ts";

/** A courier keeps SVC_START_DEADLINE by itself, and can say best why it was missed. */
const STEP_SLACK_MS = 1000;
/** As for SVC_START_DEADLINE=0, which is a single try: courier/connect.ts. */
const SINGLE_TRY_MS = 60_000;
/** A fetch, the registration with the agent, and a delivery. */
const STEPS_WITH_AGENT = 3;
/** For the work after the last step, and the machine's own delays. */
const STAGE_SLACK_MS = 3000;
/** For the revocation of the token, and for processes that are killed. */
const CLEARING_MS = 15_000;

type Settings = Pick<WrapperSettings, "startDeadlineMs" | "stopGraceMs">;

/** The time in which a courier has to have come a step further. Pure. */
export function stepDeadlineMs({ startDeadlineMs }: Pick<Settings, "startDeadlineMs">): number {
  return startDeadlineMs === 0 ? SINGLE_TRY_MS : startDeadlineMs;
}

/** The time in which the supervisor hears of a step, or ends it. Pure. */
export function longestStepMs(settings: Pick<Settings, "startDeadlineMs">): number {
  return stepDeadlineMs(settings) + STEP_SLACK_MS;
}

/** The name of a stage with an end, and its longest time. */
export interface BoundedStage {
  readonly name: string;
  readonly longestMs: number;
}

/**
 * The stage of a life, if it may last a bounded time only: a wrapper that is in it for longer has
 * lost the event that it waits for. Undefined for the others. Pure.
 */
export function boundedStage(
  { stage }: Life,
  settings: Settings & { readonly hasAgent: boolean },
): BoundedStage | undefined {
  const steps = settings.hasAgent ? STEPS_WITH_AGENT : 1;
  const startMs = steps * longestStepMs(settings) + STAGE_SLACK_MS;
  switch (stage.kind) {
    case "beginning":
      return { name: "beginning", longestMs: startMs };
    case "ending":
      return { name: "ending", longestMs: settings.stopGraceMs + CLEARING_MS };
    case "running":
      if (stage.activity.kind !== "rotating") return undefined;
      return { name: "rotating", longestMs: settings.stopGraceMs + startMs };
    case "sealed":
    case "pausing":
      return undefined;
  }
}
