import { awaitRegistration } from "../agent/await-registration.ts";
import { startJob } from "../courier-job.ts";
import type { WorkingCourier } from "../supervisor/couriers.ts";
import { type Delivery, type DeliveryOutcome, followDelivery } from "./delivery.ts";
import type { World } from "./world.ts";

/** Lets a courier fetch the secrets and become the program, with nothing else running. */
export async function beginProgram(
  world: World,
  working: WorkingCourier = world.couriers.deliver(startJob(world.settings)),
): Promise<DeliveryOutcome> {
  const { front, status } = world;
  status.enter({ kind: "starting", reason: "the secrets are being fetched" });
  const delivery = followDelivery(world, working);
  front.stands(delivery.child);
  delivery.child.takeTerminal();
  const outcome = await outcomeOf(world, delivery);
  if (outcome.kind !== "running") front.stands(undefined);
  return outcome;
}

async function outcomeOf(world: World, delivery: Delivery): Promise<DeliveryOutcome> {
  if (world.agent === undefined || (await delivery.fetched) !== "fetched") return delivery.outcome;
  world.status.enter({ kind: "starting", reason: "the program is being registered" });
  const waited = await Promise.race([
    awaitRegistration(world, delivery.child.pid),
    delivery.child.ended,
  ]);
  // Whoever has ended it meanwhile is told so by its outcome.
  if (waited === undefined) delivery.go();
  if (waited === undefined || "exitCode" in waited) return delivery.outcome;
  delivery.abandon();
  await delivery.outcome;
  return { kind: "failed", failures: [waited] };
}
