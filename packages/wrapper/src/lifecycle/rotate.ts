import { awaitRegistration } from "../agent/await-registration.ts";
import type { DeliverJob } from "../courier-job.ts";
import { failuresOf } from "../errors.ts";
import type { Ending } from "../supervisor/children.ts";
import { type DeliveryOutcome, followDelivery, type Program } from "./delivery.ts";
import { silentCourier } from "./silent-courier.ts";
import { withinDeadline } from "./within-deadline.ts";
import type { World } from "./world.ts";

/** What a rotation leaves the program alone for. */
export type ValuesToRefuse = Pick<DeliverJob, "unlessDigest" | "notBefore">;

/** How a rotation came out. */
export type RotationOutcome =
  | Exclude<DeliveryOutcome, { readonly kind: "died" }>
  /** The program ended first, by itself or because somebody has asked the wrapper to end. */
  | { readonly kind: "ended"; readonly ending: Ending }
  /** The old program has ended and there is no new one. */
  | { readonly kind: "lost"; readonly outcome: DeliveryOutcome };

/**
 * Replaces the program by one with new values: fetches all of them first, and only then ends the old
 * one.
 *
 * @param unless with these values again, or with older ones, the program is left alone.
 */
export async function rotate(
  world: World,
  program: Program,
  unless: ValuesToRefuse,
): Promise<RotationOutcome> {
  try {
    return await replace(world, program, unless);
  } catch (error) {
    // No descriptors, processes or memory for a courier: the program has what it had.
    return { kind: "failed", failures: failuresOf(error) };
  }
}

async function replace(
  world: World,
  { child }: Program,
  unless: ValuesToRefuse,
): Promise<RotationOutcome> {
  const { couriers, front, leftovers, status, log, settings } = world;
  const job = { kind: "deliver", waits: true } as const;
  const delivery = followDelivery(world, await couriers.deliver({ ...unless, ...job }));
  const ended = child.ended.then((ending) => ({ kind: "ended", ending }) as const);
  const inTime = <T>(step: Promise<T>) => withinDeadline(step, delivery, settings.startDeadlineMs);
  const fetched = await Promise.race([inTime(delivery.fetched), ended]);
  if (fetched !== "fetched") {
    if (fetched.kind === "ended") delivery.abandon();
    return fetched.kind === "died" ? silent : fetched;
  }
  const refusal = await Promise.race([awaitRegistration(world, delivery.child.pid), ended]);
  if (refusal !== undefined) {
    delivery.abandon();
    return "kind" in refusal ? refusal : { kind: "failed", failures: [refusal] };
  }
  log.info("the new values are there: the program is replaced");
  status.enter({ kind: "restarting", reason: "the program is replaced" });
  const ending = await child.stop();
  if (front.stopping) {
    delivery.abandon();
    return { kind: "ended", ending };
  }
  leftovers.kill();
  front.stands(delivery.child);
  delivery.child.takeTerminal();
  delivery.go();
  const outcome = await inTime(delivery.outcome);
  return outcome.kind === "running" ? outcome : { kind: "lost", outcome };
}

const silent: RotationOutcome = { kind: "failed", failures: [silentCourier] };
