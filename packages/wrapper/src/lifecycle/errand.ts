import { closeDescriptor, type SecretMemory } from "@svc/kernel";
import { type Failure, failuresOf } from "../errors.ts";
import { lateCourier, silentCourier } from "../life/silent-courier.ts";
import type { CourierJob } from "../messages/courier-job.ts";
import type { CourierMessage } from "../messages/courier-message.ts";
import type { Children } from "../processes/children.ts";
import type { Couriers } from "../processes/couriers.ts";

/** The messages of a courier, or the reason why it sent no message. */
export type ErrandOutcome<Kind extends CourierMessage["kind"]> =
  | { readonly kind: "done"; readonly message: Extract<CourierMessage, { kind: Kind }> }
  | { readonly kind: "failed"; readonly failures: readonly Failure[]; readonly isUnstarted?: true };

export interface ErrandPorts {
  readonly couriers: Pick<Couriers, "errand">;
  readonly children: Pick<Children, "follow">;
}

export interface ErrandOptions {
  /** The program's region, if the errand is about it. */
  readonly region?: SecretMemory;
  /** A courier that takes longer is ended. */
  readonly timeoutMs: number;
  /** Ends the courier: its answer is of no use any more. */
  readonly signal?: AbortSignal;
}

/** Sends a courier for one answer. */
export async function runErrand<Kind extends CourierMessage["kind"]>(
  ports: ErrandPorts,
  job: CourierJob,
  answers: readonly Kind[],
  options: ErrandOptions,
): Promise<ErrandOutcome<Kind>> {
  try {
    return await listen(ports, job, answers, options);
  } catch (error) {
    // No descriptors, processes or memory: the next one may find some.
    return { kind: "failed", failures: failuresOf(error), isUnstarted: true };
  }
}

async function listen<Kind extends CourierMessage["kind"]>(
  { couriers, children }: ErrandPorts,
  job: CourierJob,
  answers: readonly Kind[],
  { region, timeoutMs, signal }: ErrandOptions,
): Promise<ErrandOutcome<Kind>> {
  const { courier, messages, region: given } = await couriers.errand(job, region);
  const ended = children.follow(courier.pid);
  let isLate = false;
  const abandon = () => courier.abandon();
  const timer = setTimeout(() => {
    isLate = true;
    abandon();
  }, timeoutMs);
  signal?.addEventListener("abort", abandon);
  let outcome: ErrandOutcome<Kind> | undefined;
  try {
    for await (const message of messages) {
      if (isOneOf(message, answers)) outcome = { kind: "done", message };
      if (message.kind === "failed") outcome = { kind: "failed", failures: message.failures };
    }
    const { signal: killedBy } = await ended;
    if (outcome !== undefined) return outcome;
    const silent = isLate ? lateCourier(timeoutMs) : silentCourier(killedBy);
    return { kind: "failed", failures: [silent] };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abandon);
    courier.dispose();
    if (region === undefined) closeDescriptor(given.fd);
  }
}

function isOneOf<Kind extends CourierMessage["kind"]>(
  message: CourierMessage,
  kinds: readonly Kind[],
): message is Extract<CourierMessage, { kind: Kind }> {
  return kinds.some((kind) => kind === message.kind);
}
