import { startJob } from "../courier-job.ts";
import type { WorkingCourier } from "../supervisor/couriers.ts";
import { type DeliveryOutcome, followDelivery } from "./delivery.ts";
import type { World } from "./world.ts";

/** Lets a courier fetch the secrets and become the program, with nothing else running. */
export async function beginProgram(
  world: World,
  working: WorkingCourier = world.couriers.deliver(startJob),
): Promise<DeliveryOutcome> {
  const { front, health, status } = world;
  status.enter({ kind: "starting", reason: "the secrets are being fetched" });
  const delivery = followDelivery(world, working);
  front.stands(delivery.child);
  delivery.child.takeTerminal();
  health.openSoon();
  const outcome = await delivery.outcome;
  if (outcome.kind !== "running") front.stands(undefined);
  return outcome;
}
