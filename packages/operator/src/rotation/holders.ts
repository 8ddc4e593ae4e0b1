import type { RotationBy } from "@svc/protocol";
import { countIn, listIn, textIn } from "./fields.ts";
import type { PodFacts } from "./pod-facts.ts";

/** A pod that has a permit. Times are milliseconds since the epoch. */
export interface Holder {
  readonly pod: string;
  readonly uid: string;
  readonly by: RotationBy;
  /** When it got the permit. */
  readonly sinceMs: number;
  /** When its wrapper said that the rotation is over. */
  readonly doneMs?: number;
  /** True once an Event has said that its rotation has failed. */
  readonly told?: true;
}

/** A holder, and its pod as it is now; undefined if that pod is gone. */
export interface SeenHolder {
  readonly holder: Holder;
  readonly pod: PodFacts | undefined;
}

/** A wrapper that says nothing for so long has ended: its pod's own state counts from then on. */
const LONGEST_ROTATION_MS = 900_000;
/** After so long a workload's status counts a pod no more that has ended. */
const GONE_MS = 10_000;
/** Times of the API server are whole seconds. */
const SECOND_MS = 1000;

/** More than any workload has at once: beyond, the record is not ours. */
const MOST_HOLDERS = 256;

/** The holders in a record; those that are not readable are left out. */
export function parseHolders(text: string | undefined): readonly Holder[] {
  if (text === undefined) return [];
  const holders = listIn(parsed(text), "holders");
  return holders.slice(0, MOST_HOLDERS).flatMap((value) => parseHolder(value) ?? []);
}

/** The text of a record. */
export function holdersText(holders: readonly Holder[]): string {
  return JSON.stringify({ holders });
}

/**
 * Whether a holder's rotation is over and its pod is ready again, so that the next pod may go.
 *
 * A pod whose program was just replaced is still called Ready until the kubelet's probe has failed.
 * So it counts once it has become Ready after the end, or has stayed Ready for as long as the probe
 * takes to fail.
 */
export function isSettled(seen: SeenHolder, nowMs: number): boolean {
  const { holder } = seen;
  const pod = livingPod(seen);
  // Soon the workload's own numbers say that a pod is missing in its place.
  if (pod === undefined) return nowMs - holder.sinceMs >= GONE_MS;
  const overMs = rotationOverMs(holder, pod, nowMs);
  if (overMs === undefined || !pod.isReady) return false;
  const hasComeBack = (pod.readySinceMs ?? 0) >= overMs - SECOND_MS && isAfter(pod, holder);
  return hasComeBack || nowMs - overMs >= pod.probeMs;
}

/** Why a holder will not be ready by itself; undefined while it may. */
export function failureOf(
  seen: SeenHolder,
  { nowMs, deadlineMs }: { readonly nowMs: number; readonly deadlineMs: number },
): string | undefined {
  const { holder } = seen;
  const pod = livingPod(seen);
  if (pod === undefined || pod.isReady) return undefined;
  if (pod.trouble !== undefined) return `pod ${holder.pod}: ${pod.trouble}`;
  const forMs = nowMs - holder.sinceMs;
  if (forMs < deadlineMs) return undefined;
  return `pod ${holder.pod} is not ready ${Math.round(forMs / 1000)} s after its permit`;
}

/** The pod itself: not another one of its name, and not while it ends. */
function livingPod({ holder, pod }: SeenHolder): PodFacts | undefined {
  return pod === undefined || pod.isOver || pod.uid !== holder.uid ? undefined : pod;
}

/** When the rotation was over; undefined if it is under way. */
function rotationOverMs(holder: Holder, pod: PodFacts, nowMs: number): number | undefined {
  if (holder.doneMs !== undefined) return holder.doneMs;
  // Its wrapper has ended with the program, and cannot say so: another one runs.
  if (pod.startedMs !== undefined && pod.startedMs > holder.sinceMs) return pod.startedMs;
  const longestMs = holder.sinceMs + LONGEST_ROTATION_MS;
  return nowMs >= longestMs ? longestMs : undefined;
}

function isAfter({ readySinceMs }: PodFacts, { sinceMs }: Holder): boolean {
  return readySinceMs !== undefined && readySinceMs >= sinceMs - SECOND_MS;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseHolder(value: unknown): Holder | undefined {
  const [pod, uid, by] = [textIn(value, "pod"), textIn(value, "uid"), textIn(value, "by")];
  const sinceMs = countIn(value, ["sinceMs"], -1);
  const doneMs = countIn(value, ["doneMs"], -1);
  if (pod === undefined || uid === undefined || sinceMs < 0) return undefined;
  const told = Object(value).told === true;
  return {
    ...{ pod, uid, sinceMs, by: by === "pod" ? "pod" : "program" },
    ...(doneMs >= 0 && { doneMs }),
    ...(told && { told }),
  };
}
