import type { KubernetesApi } from "@svc/kubernetes";
import { microTime } from "../leader/lease.ts";
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
/** The server's own limit of a note, in bytes. */
const MOST_NOTE = 1024;
const MOST_INSTANCE = 128;

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
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const operation = `write an event for SvcConfig "${name}" in namespace "${namespace}"`;
      const reportingInstance = instance.slice(0, MOST_INSTANCE);
      const body = { ...eventBody(config, event), reportingInstance };
      await api.ask({ method: "POST", path, body, operation });
      return true;
    },
  };
}

function eventBody(
  { namespace, name, uid, resourceVersion }: WatchedConfig,
  event: ConfigEvent,
): object {
  const { type, reason, note } = event;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { namespace, generateName: `${beginningOf(name)}-` },
    eventTime: microTime(new Date()),
    reportingController: `${GROUP}/operator`,
    action: "Judge",
    ...{ type, reason, note: bounded(note) },
    regarding: {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: "SvcConfig",
      ...{ namespace, name, uid, resourceVersion },
    },
  };
}

/** The beginning of a name, so that more can follow: no part of one may end with a point. */
function beginningOf(name: string): string {
  return name.slice(0, 200).replace(/[.-]+$/, "");
}

/** Cut at the limit, which counts bytes. */
function bounded(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MOST_NOTE) return note;
  // The bytes of a character that was cut in two become one that says so, of up to three bytes.
  return `${bytes
    .subarray(0, MOST_NOTE - 6)
    .toString("utf8")
    .replace(/\uFFFD$/, "")}…`;
}
