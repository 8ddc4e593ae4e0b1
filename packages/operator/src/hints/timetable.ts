import type { Subscription } from "./subscription.ts";

/** Subscriptions that are looked at at a certain time, apart from heartbeats. */
export interface Timetable {
  /** Puts one down for a time, in the place of a later one. */
  readonly put: (subscription: Subscription, atMs: number) => void;
  /** Takes those that are due. */
  readonly due: (nowMs: number) => readonly Subscription[];
}

const SLOT_MS = 250;

/** Makes an empty one. */
export function timetable(): Timetable {
  const slots = new Map<number, Subscription[]>();
  return {
    put: (subscription, atMs) => {
      if (subscription.timedMs <= atMs) return;
      subscription.timedMs = atMs;
      const slot = Math.ceil(atMs / SLOT_MS);
      const there = slots.get(slot);
      if (there === undefined) slots.set(slot, [subscription]);
      else there.push(subscription);
    },
    due: (nowMs) => {
      const taken: Subscription[] = [];
      for (const [slot, there] of slots) {
        if (slot * SLOT_MS > nowMs) continue;
        slots.delete(slot);
        // Others were put down for an earlier time, and have had it.
        const own = there.filter(({ timedMs }) => Math.ceil(timedMs / SLOT_MS) === slot);
        for (const subscription of own) subscription.timedMs = Number.POSITIVE_INFINITY;
        taken.push(...own);
      }
      return taken;
    },
  };
}
