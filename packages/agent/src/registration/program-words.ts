import { DeliveryMethod, Protection, type Register } from "@svc/agent-protocol";
import { deliveryMethods, type DeliveryMethod as MethodName } from "@svc/settings";
import type { ProgramWords } from "./registry.ts";

/**
 * A wrapper's statements about its program; numbers that a later release has added are left out.
 */
export function programWords({ delivery, keyCount, protections }: Register): ProgramWords {
  return {
    delivery: nameOf(delivery) ?? "unknown",
    keyCount,
    protections: [...new Set(protections)].flatMap((number) => protectionNames[number] ?? []),
  };
}

/**
 * The address of the environment that the wrapper has left without values; 0n if its way of
 * delivery puts them there, or it does not say: docs/guides/delivery.md.
 */
export function bareEnvironment({ delivery, bareEnvironment: start }: Register): bigint {
  const name = nameOf(delivery);
  return name !== undefined && deliveries[name].isBare ? start : 0n;
}

interface Delivery {
  /** As a wrapper sends it. */
  readonly number: DeliveryMethod;
  /** True if the environment holds no values. */
  readonly isBare: boolean;
}

const deliveries: Readonly<Record<MethodName, Delivery>> = {
  library: { number: DeliveryMethod.LIBRARY, isBare: true },
  inject: { number: DeliveryMethod.INJECT, isBare: true },
  preload: { number: DeliveryMethod.PRELOAD, isBare: true },
  env: { number: DeliveryMethod.ENV, isBare: false },
};

function nameOf(number: DeliveryMethod): MethodName | undefined {
  return deliveryMethods.find((name) => deliveries[name].number === number);
}

const protectionNames: Readonly<Record<number, string>> = {
  [Protection.MEMFD_SECRET]: "memfd_secret",
  [Protection.MLOCK]: "mlock",
};
