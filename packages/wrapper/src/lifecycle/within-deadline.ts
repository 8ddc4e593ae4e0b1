import { failure } from "../errors.ts";
import { longestStepMs, stepDeadlineMs } from "../life/longest-stage.ts";
import type { Delivery, DeliveryOutcome } from "./delivery.ts";

/**
 * Waits for a step of a delivery. A courier that hangs, or was stopped, is killed at
 * SVC_START_DEADLINE, and the step has failed.
 */
export async function withinDeadline<T>(
  step: Promise<T>,
  delivery: Pick<Delivery, "abandon" | "outcome">,
  startDeadlineMs: number,
): Promise<T | DeliveryOutcome> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), longestStepMs({ startDeadlineMs }));
  const first = await Promise.race([step, late.promise]).finally(() => clearTimeout(timer));
  if (first !== "late") return first;
  delivery.abandon();
  await delivery.outcome;
  const limitMs = stepDeadlineMs({ startDeadlineMs });
  const message = `start the program: the courier had not come so far within ${limitMs} ms`;
  return { kind: "failed", failures: [failure("START_DEADLINE", message)] };
}
