import type { CheckState } from "../health/check-state.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";
import type { Life, Running } from "./life.ts";
import { shownFailure } from "./shown-failure.ts";

/** Whether the program has the newest values that the wrapper knows of. Pure. */
export function checkStateOf(
  { phase, stage }: Life,
  settings: Pick<WrapperSettings, "rotation" | "showPaths">,
): CheckState {
  if (rotationOf(settings).way === undefined) {
    return { state: "unchecked", reason: "SVC_ROTATION=none: the wrapper never checks" };
  }
  if (stage.kind !== "running") {
    if (phase.kind === "running") return { state: "waiting", reason: "no program runs" };
    const { kind, ...words } = phase;
    return { state: "waiting", ...words };
  }
  if (stage.activity.kind === "unsealing") {
    return { state: "waiting", reason: "POST /v1/unseal has to bring a token" };
  }
  if (stage.activity.kind === "checking" || stage.checks.hurry) {
    return { state: "checking", reason: "the secrets are being checked" };
  }
  const rotation = rotationUnderWay(stage);
  if (rotation !== undefined) return { state: "rotating", reason: rotation };
  if (stage.isOutdated) {
    return { state: "failing", reason: "the last rotation failed: the next comes by itself" };
  }
  const { failures, lastFailure } = stage.checks;
  if (failures === 0) return { state: "current" };
  const which = `the last ${failures === 1 ? "check" : `${failures} checks`} failed`;
  if (lastFailure === undefined) return { state: "failing", reason: `${which}: see the log` };
  const { text, code } = shownFailure(lastFailure, settings);
  return { state: "failing", reason: `${which}: ${text}`, code };
}

/** Why the program is about to get new values; undefined if it is not. */
function rotationUnderWay(stage: Running): string | undefined {
  const { activity, permit, rotateAtMs } = stage;
  switch (activity.kind) {
    case "rotating":
      return "the program gets new values";
    case "draining":
      return "clients leave the program before it is replaced";
    case "asking":
      return "the operator is asked for a permit";
    default:
      break;
  }
  if (rotateAtMs === Number.POSITIVE_INFINITY) return undefined;
  if (permit.kind === "waiting") return `waits for a permit: ${permit.reason}`;
  if (permit.kind === "unanswered") return "the operator does not answer";
  return "a rotation is planned";
}
