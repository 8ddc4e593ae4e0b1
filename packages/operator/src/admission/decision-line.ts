import type { DecisionRecord } from "./decision-record.ts";

/** The line of JSON for a pod, without a line feed at its end. */
export function decisionLine(record: DecisionRecord, now: Date): string {
  const level = decisionLevel(record);
  const head = { time: now.toISOString(), level, component: "operator", message: "pod judged" };
  return JSON.stringify({ ...head, ...record });
}

/** How much the line of a pod matters. */
export function decisionLevel({ outcome }: DecisionRecord): "info" | "warn" | "error" {
  return levels[outcome];
}

const levels = { injected: "info", skipped: "info", denied: "warn", failed: "error" } as const;
