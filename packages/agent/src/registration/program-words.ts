import { DeliveryRung, Protection, type Register } from "@svc/agent-protocol";
import type { ProgramWords, RegisteredRung } from "./registry.ts";

/** What a wrapper says about its program; numbers that a later release has added are left out. */
export function programWords({ rung, keyCount, protections }: Register): ProgramWords {
  return {
    rung: rungNames[rung] ?? "unknown",
    keyCount,
    protections: [...new Set(protections)].flatMap((number) => protectionNames[number] ?? []),
  };
}

/** True of ways of delivery that leave the environment without values: docs/guides/delivery.md. */
export function placesNoValues({ rung }: ProgramWords): boolean {
  return rung === "library" || rung === "inject" || rung === "preload";
}

const rungNames: Readonly<Record<number, RegisteredRung>> = {
  [DeliveryRung.LIBRARY]: "library",
  [DeliveryRung.INJECT]: "inject",
  [DeliveryRung.PRELOAD]: "preload",
  [DeliveryRung.ENV]: "env",
};

const protectionNames: Readonly<Record<number, string>> = {
  [Protection.MEMFD_SECRET]: "memfd_secret",
  [Protection.MLOCK]: "mlock",
};
