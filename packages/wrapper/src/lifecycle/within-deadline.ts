import { failure } from "../errors.ts";
import type { Delivery, DeliveryOutcome } from "./delivery.ts";

/** The courier keeps the deadline by itself, and can say best why it was missed. */
const SLACK_MS = 1000;
/** As for SVC_START_DEADLINE=0, which is a single try: courier/connect.ts. */
const SINGLE_TRY_MS = 60_000;

/**
 * Waits for a step of a delivery. A courier that hangs, or was stopped, is killed at
 * SVC_START_DEADLINE, and the step has failed.
 */
export async function withinDeadline<T>(
  step: Promise<T>,
  delivery: Pick<Delivery, "abandon" | "outcome">,
  startDeadlineMs: number,
): Promise<T | DeliveryOutcome> {
  const limitMs = startDeadlineMs === 0 ? SINGLE_TRY_MS : startDeadlineMs;
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), limitMs + SLACK_MS);
  const first = await Promise.race([step, late.promise]).finally(() => clearTimeout(timer));
  if (first !== "late") return first;
  delivery.abandon();
  await delivery.outcome;
  const message = `start the program: the courier had not come so far within ${limitMs} ms`;
  return { kind: "failed", failures: [failure("START_DEADLINE", message)] };
}
