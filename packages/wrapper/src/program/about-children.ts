import type { DeliveryChoice } from "./choose-delivery.ts";

/** Describes in a few words the delivery for a program's children. */
export function aboutChildren({ delivery, follow, noNotify }: DeliveryChoice): string {
  switch (delivery) {
    case "library":
      return "have no values: the program reads its own from protected memory";
    case "preload":
      return "protected by the interposer; static programs and copies in other variables are not";
    case "env":
      return "have plain values, as the program has";
    case "inject":
      return injected(follow, noNotify);
  }
}

function injected(follow: DeliveryChoice["follow"], noNotify: string | undefined): string {
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
