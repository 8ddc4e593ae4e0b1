import { awaitRegistration } from "../agent/await-registration.ts";
import { startJob } from "../courier-job.ts";
import type { WorkingCourier } from "../supervisor/couriers.ts";
import { type Delivery, type DeliveryOutcome, followDelivery } from "./delivery.ts";
import { withinDeadline } from "./within-deadline.ts";
import type { World } from "./world.ts";

/** Lets a courier fetch the secrets and become the program, with nothing else running. */
export async function beginProgram(world: World, ready?: WorkingCourier): Promise<DeliveryOutcome> {
  const { front, status } = world;
  status.enter({ kind: "starting", reason: "the secrets are being fetched" });
  const working = ready ?? (await world.couriers.deliver(startJob(world.settings)));
  const delivery = followDelivery(world, working);
  front.stands(delivery.child);
  delivery.child.takeTerminal();
  const outcome = await outcomeOf(world, delivery);
  if (outcome.kind !== "running") front.stands(undefined);
  return outcome;
}

async function outcomeOf(world: World, delivery: Delivery): Promise<DeliveryOutcome> {
  const { startDeadlineMs } = world.settings;
  const inTime = <T>(step: Promise<T>) => withinDeadline(step, delivery, startDeadlineMs);
  if (world.agent === undefined) return inTime(delivery.outcome);
  const fetched = await inTime(delivery.fetched);
  if (fetched !== "fetched") return fetched;
  world.status.enter({ kind: "starting", reason: "the program is being registered" });
  const waited = await Promise.race([
    awaitRegistration(world, delivery.child.pid),
    delivery.child.ended,
  ]);
  // Its outcome says who has ended it meanwhile.
  if (waited === undefined) delivery.go();
  if (waited === undefined || "exitCode" in waited) return inTime(delivery.outcome);
  delivery.abandon();
  await delivery.outcome;
  return { kind: "failed", failures: [waited] };
}
