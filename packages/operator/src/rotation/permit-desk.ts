import type { Log } from "@svc/logging";
import type { PermitAnswer, PermitQuestion } from "@svc/protocol";
import { decidePermit } from "./decide-permit.ts";
import type { PodEvictor } from "./evict-pod.ts";
import type { Holder, SeenHolder } from "./holders.ts";
import type { ProvenPod } from "./identify-pod.ts";
import { nameOf, type PermitStore, type StoredPermits } from "./permit-store.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { WorkloadPlace, WorkloadReader } from "./read-workload.ts";
import type { StoppedEvents } from "./stopped-events.ts";
import { Urgencies } from "./urgencies.ts";

/** The parts that permits are given with. */
export interface PermitDeskParts {
  readonly reader: WorkloadReader;
  readonly store: PermitStore;
  readonly evict: PodEvictor;
  readonly events: StoppedEvents;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly nowMs?: () => number;
}

/** Gives permits. @throws KubernetesError if the API server does not answer */
export type PermitDesk = (pod: ProvenPod, question: Question) => Promise<PermitAnswer>;

/** A question whose token has done its work. */
export type Question = Omit<PermitQuestion, "token">;

/** A pod that waits asks so often: other pods become ready in seconds. */
const RETRY_MS = 2000;
/** Up to this number of pods of one workload ask at that pace; more of them ask less often. */
const PODS_AT_PACE = 40;
const LONGEST_RETRY_MS = 30_000;
/** After a decision to wait, other pods of the workload get the same answer for so long. */
const REPEATED_MS = 1000;
/** Another replica was faster: it is decided again. */
const MOST_TRIES = 4;

interface Repeated {
  readonly reason: string;
  readonly untilMs: number;
  /** The UIDs of the pods that hold permits: they get another answer. */
  readonly holders: readonly string[];
}

/**
 * Makes the desk. It takes the questions of one workload one after the other. While a workload has
 * no room, the API server is asked once a second for it, however many of its pods wait.
 */
export function permitDesk(parts: PermitDeskParts): PermitDesk {
  const { reader, nowMs = Date.now } = parts;
  const turns = new Map<string, Promise<unknown>>();
  const repeated = new Map<string, Repeated>();
  const urgencies = new Urgencies(nowMs);
  const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = turns.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    turns.set(key, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(key) === mine) turns.delete(key);
    }
  };
  const ask = async (asked: Asked): Promise<PermitAnswer> => {
    const { place, pod, question } = asked;
    const waiting = urgencies.note(place.uid, pod.uid, question.expiresInSeconds);
    const isOvertaken = urgencies.hasMoreUrgent(place.uid, pod.uid);
    const last = repeated.get(place.uid);
    const retryAfterMs = retryMs(waiting);
    if (last !== undefined && isRepeated(last, pod, nowMs())) {
      return { decision: "wait", reason: last.reason, retryAfterMs };
    }
    const outcome = await decide(parts, asked, { isOvertaken, nowMs: nowMs() });
    sweep(repeated, nowMs());
    if (outcome.kind === "wait") {
      const { reason, holders } = outcome;
      repeated.set(place.uid, { reason, holders, untilMs: nowMs() + REPEATED_MS });
      return { decision: "wait", reason, retryAfterMs };
    }
    repeated.delete(place.uid);
    urgencies.forget(place.uid, pod.uid);
    return outcome.kind === "replaced" ? ends : { decision: "go" };
  };
  return async ({ namespace, name, uid }, question) => {
    const pod = await reader.pod(namespace, name);
    if (pod === undefined || pod.uid !== uid || pod.isOver) return ends;
    const place = await reader.workloadOf(namespace, pod);
    const asked = { place, pod, question };
    if (question.say === "ask") return inTurn(place.uid, () => ask(asked));
    const change = question.say === "kept" ? giveBack(uid) : noteDone(uid, nowMs());
    await inTurn(place.uid, () => update(parts.store, asked, change));
    return { decision: "go" };
  };
}

/** The pod is evicted, or ends for another reason: a new program would end with it. */
const ends: PermitAnswer = {
  decision: "wait",
  reason: "the pod is being replaced",
  retryAfterMs: LONGEST_RETRY_MS,
};

interface Asked {
  readonly place: WorkloadPlace;
  readonly pod: PodFacts;
  readonly question: Question;
}

interface Moment {
  readonly isOvertaken: boolean;
  readonly nowMs: number;
}

/** The outcome of a question. */
type Outcome =
  | { readonly kind: "go" | "replaced" }
  | { readonly kind: "wait"; readonly reason: string; readonly holders: readonly string[] };

async function decide(parts: PermitDeskParts, asked: Asked, moment: Moment): Promise<Outcome> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const stored = await parts.store.read(asked.place);
    const outcome = await decideOver(parts, asked, { ...moment, stored });
    if (outcome !== "again") return outcome;
  }
  return { kind: "wait", reason: "many pods ask at once", holders: [] };
}

async function decideOver(
  { reader, store, events, evict, log }: PermitDeskParts,
  { place, pod, question: { by } }: Asked,
  { stored, isOvertaken, nowMs }: Moment & { readonly stored: StoredPermits },
): Promise<Outcome | "again"> {
  const { namespace } = place;
  const [workload, budgets, holders] = await Promise.all([
    reader.facts(place, pod),
    reader.budgets(namespace, pod),
    Promise.all(stored.holders.map((holder) => see(reader, namespace, holder))),
  ]);
  // A pod without a controller stands alone.
  if (workload === undefined) return { kind: "go" };
  const decision = decidePermit({ pod, by, workload, budgets, holders, isOvertaken, nowMs });
  const isSame = decision.kind === "wait" && decision.holders.length === stored.holders.length;
  if (!isSame || decision.failures.length > 0) {
    if (!(await store.write(place, decision.holders, stored))) return "again";
  }
  for (const failure of decision.failures) await events.send(place, failure);
  const holding = decision.holders.map(({ uid }) => uid);
  if (decision.kind === "wait") return { kind: "wait", reason: decision.reason, holders: holding };
  log("info", "a pod is rotated", { pod: pod.name, workload: nameOf(place), by });
  if (by === "program") return { kind: "go" };
  const refusal = await evict(namespace, pod);
  if (refusal === undefined) return { kind: "replaced" };
  await update(store, { place, pod }, giveBack(pod.uid));
  return { kind: "wait", reason: refusal, holders: [] };
}

type Change = (holders: readonly Holder[]) => readonly Holder[];

/** The wrapper has replaced its program: the pod is watched until it is ready. */
function noteDone(uid: string, doneMs: number): Change {
  return (holders) =>
    holders.map((holder) => (holder.uid === uid ? { ...holder, doneMs } : holder));
}

/** The program was left alone. */
function giveBack(uid: string): Change {
  return (holders) => holders.filter((holder) => holder.uid !== uid);
}

/** Changes the holders of a workload if the pod is one of them. */
async function update(
  store: PermitStore,
  { place, pod }: Pick<Asked, "place" | "pod">,
  change: Change,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const stored = await store.read(place);
    if (!stored.holders.some(({ uid }) => uid === pod.uid)) return;
    if (await store.write(place, change(stored.holders), stored)) return;
  }
}

async function see(reader: WorkloadReader, namespace: string, holder: Holder): Promise<SeenHolder> {
  return { holder, pod: await reader.pod(namespace, holder.pod) };
}

function retryMs(waiting: number): number {
  return Math.min(LONGEST_RETRY_MS, Math.round(RETRY_MS * Math.max(1, waiting / PODS_AT_PACE)));
}

/** A pod that is not ready, or that holds a permit, may go although others wait. */
function isRepeated({ untilMs, holders }: Repeated, pod: PodFacts, nowMs: number): boolean {
  return nowMs < untilMs && pod.isReady && !holders.includes(pod.uid);
}

function sweep(repeated: Map<string, Repeated>, nowMs: number): void {
  for (const [key, { untilMs }] of repeated) if (untilMs <= nowMs) repeated.delete(key);
}
