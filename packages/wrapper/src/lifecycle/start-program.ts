import { awaitRegistration, type RegistrationPorts } from "../agent/await-registration.ts";
import { failuresOf } from "../errors.ts";
import type { ValuesToRefuse } from "../life/life.ts";
import { startJob } from "../messages/courier-job.ts";
import type { WorkingCourier } from "../processes/couriers.ts";
import type { SignalFront } from "../processes/signal-front.ts";
import type { WrapperSettings } from "../settings.ts";
import {
  type Delivery,
  type DeliveryOutcome,
  type DeliveryPorts,
  followDelivery,
} from "./delivery.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface StartPorts extends DeliveryPorts, RegistrationPorts {
  readonly agent: DeliveryPorts["agent"];
  readonly settings: WrapperSettings;
  readonly front: Pick<SignalFront, "stands">;
}

export interface StartOptions {
  /** A courier that is under way; otherwise one is started. */
  readonly first: WorkingCourier | undefined;
  /** Ends the courier. */
  readonly signal: AbortSignal;
  /** With older versions it fails. */
  readonly notBefore: ValuesToRefuse["notBefore"];
}

/** Lets a courier fetch the secrets and become the program, with nothing else running. */
export async function startProgram(
  ports: StartPorts,
  { first, signal, notBefore }: StartOptions,
): Promise<DeliveryOutcome> {
  try {
    const job = { ...startJob(ports.settings), ...(notBefore && { notBefore }) };
    const working = first ?? (await ports.couriers.deliver(job));
    return await follow(ports, followDelivery(ports, working), signal);
  } catch (error) {
    return { kind: "failed", failures: failuresOf(error) };
  }
}

async function follow(
  ports: StartPorts,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { front } = ports;
  signal.addEventListener("abort", delivery.abandon);
  if (signal.aborted) delivery.abandon();
  front.stands(delivery.child);
  delivery.child.takeTerminal();
  try {
    const outcome = await outcomeOf(ports, delivery);
    if (outcome.kind !== "running") front.stands(undefined);
    return outcome;
  } finally {
    signal.removeEventListener("abort", delivery.abandon);
  }
}

async function outcomeOf(ports: StartPorts, delivery: Delivery): Promise<DeliveryOutcome> {
  const { agent, settings, observe } = ports;
  const inTime = <T>(step: Promise<T>) => withinDeadline(step, delivery, settings.startDeadlineMs);
  if (agent === undefined) return inTime(delivery.outcome);
  const fetched = await inTime(delivery.fetched);
  if (fetched.kind !== "fetched") return fetched;
  const reason = "the program is being registered";
  observe({ kind: "phase", phase: { kind: "starting", reason } });
  const waited = await Promise.race([
    awaitRegistration(ports, delivery.child.pid),
    delivery.child.ended,
  ]);
  // Its outcome says who has ended it meanwhile.
  if (waited === undefined) delivery.go();
  if (waited === undefined || "exitCode" in waited) return inTime(delivery.outcome);
  delivery.abandon();
  await delivery.outcome;
  return { kind: "failed", failures: [waited] };
}
