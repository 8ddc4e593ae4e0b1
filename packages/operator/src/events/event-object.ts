import { microTime } from "../leader/lease.ts";
import { GROUP } from "../svc-config/definition.ts";

/** An event of the operator about an object. */
export interface ToldEvent {
  readonly regarding: EventSubject;
  readonly action: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** Cut at the server's limit. */
  readonly note: string;
  /** The name of this process. */
  readonly instance: string;
}

/** A reference to the object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for an object of the whole cluster. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** The server's own limit of a note, in bytes. */
const MOST_NOTE = 1024;
const MOST_INSTANCE = 128;

/** The namespace of events about objects of the whole cluster, as the API server wants it. */
const OF_CLUSTER = "default";

/** The path at which events about an object of a namespace are made, or of the whole cluster. */
export function eventsPath(namespace: string = OF_CLUSTER): string {
  return `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
}

/** An Event of events.k8s.io/v1, at this moment. */
export function eventObject(event: ToldEvent): object {
  const { regarding, action, type, reason, note, instance } = event;
  const { namespace = OF_CLUSTER, name } = regarding;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { namespace, generateName: `${beginningOf(name)}-` },
    eventTime: microTime(new Date()),
    reportingController: `${GROUP}/operator`,
    reportingInstance: instance.slice(0, MOST_INSTANCE),
    ...{ action, type, reason, note: bounded(note), regarding },
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
