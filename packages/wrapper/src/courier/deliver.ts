import { environmentEntries, lockAllMemory, SyscallError } from "@svc/kernel";
import { failure, WrapperError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { DeliveryChoice, ImpossibleDelivery } from "../program/choose-delivery.ts";
import { findDelivery } from "../program/find-delivery.ts";
import { locateProgram } from "../program/locate-program.ts";
import { becomeProgram } from "./become-program.ts";
import type { Delivery } from "./delivery.ts";
import { fetchSecrets } from "./fetch-secrets.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { fillRegion } from "./secret-region.ts";

/**
 * Fetches the secrets and becomes the program. Returns only by throwing.
 *
 * @throws WrapperError with everything that is wrong; the program has not been started then.
 */
export async function deliver(delivery: Delivery): Promise<never> {
  const { brief, programWords, log } = delivery;
  const { settings, tracing } = brief;
  const environment = environmentEntries();
  const program = locateProgram(settings.program, programWords, environment);
  const fetching = fetchSecrets(delivery);
  // The request is on its way and no answer is here yet: locking and looking cost no time now.
  lockMemory(settings.memory.requireMlock, log);
  const choice = possible(findDelivery(program, settings.delivery, tracing));
  const entries = resolveSecrets(settings.secrets, await fetching);
  const region = fillRegion(brief.memoryKind, delivery.descriptors.region, entries);
  return becomeProgram({ ...delivery, program, environment, region, choice, entries });
}

function possible(choice: DeliveryChoice | ImpossibleDelivery): DeliveryChoice {
  if (choice.rung !== "impossible") return choice;
  throw new WrapperError([failure("DELIVERY_IMPOSSIBLE", `deliver by ${choice.reason}`)]);
}

function lockMemory(required: boolean, log: Logger): void {
  try {
    lockAllMemory();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const message = `lock memory: ${error.message}`;
    if (required) throw new WrapperError([failure("MLOCK_FAILED", message)], error);
    // The secret region is locked all the same; this is about the courier's short-lived heap.
    log.debug(`${message}: the courier's own pages could be swapped while it runs`);
  }
}
