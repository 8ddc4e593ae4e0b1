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

/**
 * Where the environment begins that the wrapper has left without values; 0n where its way of delivery puts them there, or it
 * does not say: docs/guides/delivery.md.
 */
export function bareEnvironment({ rung, bareEnvironment: start }: Register): bigint {
  const isBare = [DeliveryRung.LIBRARY, DeliveryRung.INJECT, DeliveryRung.PRELOAD].includes(rung);
  return isBare ? start : 0n;
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
