import type { DeliveryChoice } from "./choose-delivery.ts";

/** Says in one line what becomes of the programs that a program executes. */
export function aboutChildren({ rung, follow, noNotify }: DeliveryChoice): string {
  switch (rung) {
    case "library":
      return "children: have no values: the program reads its own from protected memory";
    case "preload":
      return "children: protected where they load the interposer; static programs have plain values";
    case "env":
      return "children: have plain values, as the program has";
    case "inject":
      return injected(follow, noNotify);
  }
}

function injected(follow: DeliveryChoice["follow"], noNotify: string | undefined): string {
  switch (follow) {
    case "notify":
      return "children: protected: the kernel announces every execve, and nothing is traced between";
    case "trace": {
      const why = noNotify === undefined ? "" : `: no execve can be announced: ${noNotify}`;
      return `children: protected, and traced for as long as they live${why}`;
    }
    case "off":
      return "children: have plain values: SVC_FOLLOW is off";
  }
}
