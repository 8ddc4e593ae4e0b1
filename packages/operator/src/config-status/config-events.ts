import type { KubernetesApi } from "@svc/kubernetes";
import { type EventSubject, eventObject, eventsPath } from "../events/event-object.ts";
import { GROUP, VERSION } from "../svc-config/definition.ts";
import type { WatchedConfig } from "../svc-config/watched-config.ts";
import type { ConfigStatus } from "./status-of.ts";

/** An event about a SvcConfig, beside its status. */
export interface ConfigEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
}

/** The event for a change of status; undefined if no event is needed. */
export function eventOf(
  before: ConfigStatus | undefined,
  after: ConfigStatus,
): ConfigEvent | undefined {
  const reason = after.conditions.find(({ type }) => type === "Ready")?.reason ?? "Judged";
  if (!after.ready) {
    const isNew = before?.ready !== false || before.message !== after.message;
    return isNew ? { type: "Warning", reason, note: after.message } : undefined;
  }
  return before?.ready === false ? { type: "Normal", reason, note: after.message } : undefined;
}

/** Sends events, not more than a cluster should be bothered with. */
export interface EventSender {
  /** False if it was left out for the rate. @throws KubernetesError */
  readonly send: (config: WatchedConfig, event: ConfigEvent) => Promise<boolean>;
}

/** The sender, and its largest rate. */
export interface EventSenderOptions {
  readonly api: Pick<KubernetesApi, "ask">;
  /** The name of this process. */
  readonly instance: string;
  /** The time of a clock that does not jump, in milliseconds. */
  readonly steadyMs?: () => number;
}

/** Events of one SvcConfig are this far apart; its status has the omitted ones. */
const APART_MS = 10_000;
/**
 * That number at once for all of them, and from then on one in this time, as client-go bounds them.
 */
const BURST = 25;
const REFILL_MS = 5000;

/** Makes a sender. */
export function eventSender({
  api,
  instance,
  steadyMs = () => performance.now(),
}: EventSenderOptions): EventSender {
  const sentMs = new Map<string, number>();
  let tokens = BURST;
  let countedMs = steadyMs();
  const isAllowed = (uid: string): boolean => {
    const nowMs = steadyMs();
    tokens = Math.min(BURST, tokens + (nowMs - countedMs) / REFILL_MS);
    countedMs = nowMs;
    for (const [other, atMs] of sentMs) if (nowMs - atMs >= APART_MS) sentMs.delete(other);
    if (tokens < 1 || sentMs.has(uid)) return false;
    tokens -= 1;
    sentMs.set(uid, nowMs);
    return true;
  };
  return {
    send: async (config, event) => {
      if (!isAllowed(config.uid)) return false;
      const { namespace, name } = config;
      const operation = `write an event for SvcConfig "${name}" in namespace "${namespace}"`;
      const told = { ...event, regarding: subjectOf(config), action: "Judge", instance };
      const body = eventObject(told);
      await api.ask({ method: "POST", path: eventsPath(namespace), body, operation });
      return true;
    },
  };
}

function subjectOf({ namespace, name, uid, resourceVersion }: WatchedConfig): EventSubject {
  const apiVersion = `${GROUP}/${VERSION}`;
  return { apiVersion, kind: "SvcConfig", namespace, name, uid, resourceVersion };
}
