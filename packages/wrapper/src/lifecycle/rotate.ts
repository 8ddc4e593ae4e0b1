import { awaitRegistration, type RegistrationPorts } from "../agent/await-registration.ts";
import { failuresOf } from "../errors.ts";
import type { RotationOutcome, ValuesToRefuse } from "../life/life.ts";
import { silentCourier } from "../life/silent-courier.ts";
import type { SignalFront } from "../processes/signal-front.ts";
import type { WrapperSettings } from "../settings.ts";
import { type DeliveryPorts, followDelivery, type Program } from "./delivery.ts";
import type { Leftovers } from "./leftovers.ts";
import { withinDeadline } from "./within-deadline.ts";

/** How a program was replaced, or why not. */
export type ReplacedOutcome =
  | Exclude<RotationOutcome, { readonly kind: "running" | "refreshed" }>
  | { readonly kind: "running"; readonly program: Program };

export interface RotatePorts extends DeliveryPorts, RegistrationPorts {
  readonly agent: DeliveryPorts["agent"];
  readonly settings: WrapperSettings;
  readonly front: Pick<SignalFront, "stands" | "stopping">;
  readonly leftovers: Pick<Leftovers, "kill">;
}

/**
 * Replaces the program by one with new values: fetches all of them first, and only then ends the
 * old one.
 *
 * @param refuse with these values again, or with older ones, the program is left alone
 */
export async function rotate(
  ports: RotatePorts,
  program: Program,
  refuse: ValuesToRefuse,
): Promise<ReplacedOutcome> {
  try {
    return await replace(ports, program, refuse);
  } catch (error) {
    // No descriptors, processes or memory for a courier: the program keeps its values.
    return { kind: "failed", failures: failuresOf(error) };
  }
}

async function replace(
  ports: RotatePorts,
  { child }: Program,
  refuse: ValuesToRefuse,
): Promise<ReplacedOutcome> {
  const { couriers, front, leftovers, observe, log, settings } = ports;
  const job = { kind: "deliver", waits: true } as const;
  const delivery = followDelivery(ports, await couriers.deliver({ ...refuse, ...job }));
  const ended = child.ended.then((ending) => ({ kind: "ended", ending }) as const);
  const inTime = <T>(step: Promise<T>) => withinDeadline(step, delivery, settings.startDeadlineMs);
  const fetched = await Promise.race([inTime(delivery.fetched), ended]);
  if (fetched.kind !== "fetched") {
    if (fetched.kind === "ended") delivery.abandon();
    return fetched.kind === "died" ? silent : fetched;
  }
  const refusal = await Promise.race([awaitRegistration(ports, delivery.child.pid), ended]);
  if (refusal !== undefined) {
    delivery.abandon();
    return "kind" in refusal ? refusal : { kind: "failed", failures: [refusal] };
  }
  log.info("the new values are there: the program is replaced");
  observe({ kind: "phase", phase: { kind: "restarting", reason: "the program is replaced" } });
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

const silent: ReplacedOutcome = { kind: "failed", failures: [silentCourier()] };
