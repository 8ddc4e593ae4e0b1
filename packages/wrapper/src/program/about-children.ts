import type { DeliveryChoice } from "./choose-delivery.ts";
import { deliveryTraits } from "./delivery-traits.ts";

/** Describes in a few words the delivery for a program's children. */
export function aboutChildren({ delivery, follow, noNotify }: DeliveryChoice): string {
  return deliveryTraits[delivery].children ?? followed(follow, noNotify);
}

function followed(follow: DeliveryChoice["follow"], noNotify: string | undefined): string {
  switch (follow) {
    case "notify":
      return "protected: the kernel announces every execve, and nothing is traced between";
    case "trace": {
      const why = noNotify === undefined ? "" : `: no execve can be announced: ${noNotify}`;
      return `protected, and traced for as long as they live${why}`;
    }
    case "off":
      return "have plain values: SVC_FOLLOW is off";
  }
}
