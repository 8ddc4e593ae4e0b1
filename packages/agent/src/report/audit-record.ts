import type { AuditEvent, EventActor, EventTarget } from "../events/audit-event.ts";
import type { ProcessDetails, ProcessName } from "./process-details.ts";

/** A wrapper's statements about its registered programs. */
export interface RegistrationFacts {
  readonly podUid?: string;
  readonly containerId?: string;
  /** As the wrapper calls them: a help for people, and no proof. */
  readonly podName?: string;
  readonly namespace?: string;
  readonly container?: string;
  /** How the values got into the program. */
  readonly delivery: string;
  readonly keyCount: number;
}

/** One audit event as it is reported: plain JSON, without any argument's content. */
export interface AuditRecord {
  /** RFC 3339, UTC. */
  readonly time: string;
  /** The same for every delivery of this event, and no other event's. */
  readonly id: string;
  readonly kind: string;
  readonly node: string;
  readonly bootId: string;
  readonly [fact: string]: unknown;
}

/** The facts that an event does not have itself. */
export interface RecordContext {
  readonly node: string;
  readonly bootId: string;
  /**
   * When this agent began, in nanoseconds since boot: the numbers of the rings begin again with
   * each.
   */
  readonly startedNs: bigint;
  readonly ring: "violations" | "everything";
  /** Events of the ring that were lost since the last record that was made of it. */
  readonly droppedBefore: number;
  /** How many attempts it stands for; 1 unless alike ones were summed up. */
  readonly count: number;
  readonly timeOf: (bootNs: bigint) => Date;
  readonly detailsOf: (process: ProcessName) => ProcessDetails;
  /** The name of a policy by its number. */
  readonly policyOf: (number: number) => string | undefined;
  readonly registrationOf: (registration: bigint) => RegistrationFacts | undefined;
}

/** Makes the record of an event. */
export function auditRecord(event: AuditEvent, context: RecordContext): AuditRecord {
  const { kind, actor, bootNs, sequence, policy, ...facts } = event;
  const { node, bootId, ring, droppedBefore, count } = context;
  return {
    time: context.timeOf(bootNs).toISOString(),
    id: `${bootId}/${context.startedNs}/${ring}/${sequence}${count > 1 ? "/repeated" : ""}`,
    kind,
    node,
    bootId,
    ring,
    sequence: String(sequence),
    droppedBefore,
    count,
    ...facts,
    ...(policy !== undefined && { policy: policyFact(policy, context) }),
    ...("registration" in event && {
      registration: registrationFacts(event.registration, context),
    }),
    actor: actorOf(actor, context),
    ...("target" in event && { target: targetOf(event.target, context) }),
  };
}

/** The policy keeps its number while the agent runs. */
function policyFact(number: number, { policyOf }: RecordContext) {
  return { name: policyOf(number) ?? "unknown" };
}

function actorOf(actor: EventActor, { detailsOf }: RecordContext) {
  const { executable, cgroup, startNs, ...facts } = actor;
  const { executablePath, cgroup: identity, ancestors } = detailsOf(actor);
  return {
    ...facts,
    startNs: String(startNs),
    ...(executable && {
      executable: {
        ...(executablePath !== undefined && { path: executablePath }),
        ...(executable.name !== undefined && { name: executable.name }),
        inode: String(executable.inode),
        device: executable.device,
      },
    }),
    cgroup: { id: String(cgroup), ...identity },
    ...ancestorsFact(ancestors),
  };
}

function targetOf(target: EventTarget, context: RecordContext) {
  const { registration, cgroup, startNs, ...facts } = target;
  const { executablePath, uid, cgroup: identity, ancestors } = context.detailsOf(target);
  return {
    ...facts,
    startNs: String(startNs),
    ...(uid !== undefined && { uid }),
    ...(executablePath !== undefined && { executable: { path: executablePath } }),
    cgroup: { id: String(cgroup), ...identity },
    ...ancestorsFact(ancestors),
    ...(registration !== undefined && { registration: registrationFacts(registration, context) }),
  };
}

function ancestorsFact(ancestors: ProcessDetails["ancestors"]) {
  if (ancestors === undefined) return {};
  return {
    ancestors: ancestors.map(({ executablePath: path, ...facts }) => ({
      ...facts,
      ...(path !== undefined && { executable: { path } }),
    })),
  };
}

function registrationFacts(registration: bigint, { registrationOf }: RecordContext) {
  return { id: String(registration), ...registrationOf(registration) };
}
