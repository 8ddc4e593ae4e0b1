import type { Logger } from "../log.ts";
import type { DeliveryChoice } from "../program/choose-delivery.ts";
import { deliveryTraits } from "../program/delivery-traits.ts";
import { engineOf } from "../settings/engine-traits.ts";
import type { FetchedSecrets } from "./fetch-secrets.ts";

/** Nothing tells how long such a secret is good for, and a look would make another one. */
export function warnOfUnleased(
  { sources, outcomes }: Pick<FetchedSecrets, "sources" | "outcomes">,
  log: Logger,
): void {
  sources.forEach((source, index) => {
    const outcome = outcomes[index];
    if (engineOf(source).canBeReread || outcome?.ok !== true) return;
    if (outcome.secret.lease !== undefined) return;
    const { engine, path } = source;
    log.warn(`${engine}:${path} came without a lease: it is neither renewed nor looked at again`);
  });
}

/** By the other methods either nothing stands in the way, or this program does not start. */
export function warnOfLarge(
  { delivery }: Pick<DeliveryChoice, "delivery">,
  large: string | undefined,
  log: Logger,
): void {
  if (large === undefined || !deliveryTraits[delivery].isTraced) return;
  log.warn(`the program can start no other one (Argument list too long): ${large}`, {
    hint: "use SVC_DELIVERY=preload or the Go library, or give this program a smaller value",
  });
}
