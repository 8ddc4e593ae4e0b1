import { DeliveryMethod, Protection, type Register } from "@svc/agent-protocol";
import type { ProgramWords, RegisteredDelivery } from "./registry.ts";

/**
 * A wrapper's statements about its program; numbers that a later release has added are left out.
 */
export function programWords({ delivery, keyCount, protections }: Register): ProgramWords {
  return {
    delivery: deliveryNames[delivery] ?? "unknown",
    keyCount,
    protections: [...new Set(protections)].flatMap((number) => protectionNames[number] ?? []),
  };
}

/**
 * The address of the environment that the wrapper has left without values; 0n if its way of
 * delivery puts them there, or it does not say: docs/guides/delivery.md.
 */
export function bareEnvironment({ delivery, bareEnvironment: start }: Register): bigint {
  const isBare = [DeliveryMethod.LIBRARY, DeliveryMethod.INJECT, DeliveryMethod.PRELOAD].includes(
    delivery,
  );
  return isBare ? start : 0n;
}

const deliveryNames: Readonly<Record<number, RegisteredDelivery>> = {
  [DeliveryMethod.LIBRARY]: "library",
  [DeliveryMethod.INJECT]: "inject",
  [DeliveryMethod.PRELOAD]: "preload",
  [DeliveryMethod.ENV]: "env",
};

const protectionNames: Readonly<Record<number, string>> = {
  [Protection.MEMFD_SECRET]: "memfd_secret",
  [Protection.MLOCK]: "mlock",
};
