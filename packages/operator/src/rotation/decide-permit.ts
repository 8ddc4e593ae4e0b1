import type { RotationBy } from "@svc/protocol";
import { failureOf, type Holder, isSettled, type SeenHolder } from "./holders.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { WorkloadFacts } from "./workload-facts.ts";

/** The facts for the decision about one question. */
export interface PermitFacts {
  readonly pod: PodFacts;
  readonly by: RotationBy;
  readonly workload: WorkloadFacts;
  readonly holders: readonly SeenHolder[];
  /** The PodDisruptionBudgets that are about the pod. */
  readonly budgets: readonly Budget[];
  /** True if a pod whose secret expires sooner waits for a permit as well. */
  readonly isOvertaken: boolean;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A PodDisruptionBudget. */
export interface Budget {
  readonly name: string;
  /** How many of its pods may be disrupted now, as the disruption controller says. */
  readonly allowed: number;
}

/** The decision, and the holders from now on. */
export type PermitDecision = {
  readonly holders: readonly Holder[];
  /** Failures that no Event has told yet: the holders have them as told. */
  readonly failures: readonly string[];
} & ({ readonly kind: "go" } | { readonly kind: "wait"; readonly reason: string });

/** Enough for a large workload, and its holders are looked at one by one. */
const MOST_PERMITS = 32;

/**
 * Decides whether a pod may be rotated now. Pure.
 *
 * - No more pods are away at once than the workload allows, for any reason.
 * - A rotation that has failed stops those of the other pods, until its pod is ready or gone.
 * - A pod that is not ready may go: no request reaches it.
 */
export function decidePermit(facts: PermitFacts): PermitDecision {
  const { pod, by, nowMs, workload } = facts;
  const open = facts.holders.filter((seen) => !isSettled(seen, nowMs));
  const own = open.find(({ holder }) => holder.uid === pod.uid);
  const others = open.filter((seen) => seen !== own);
  const failed = others.flatMap((seen) => {
    const failure = failureOf(seen, { nowMs, deadlineMs: workload.deadlineMs });
    return failure === undefined ? [] : [{ seen, failure }];
  });
  const isNew = ({ seen }: { readonly seen: SeenHolder }) => seen.holder.told !== true;
  const holders = open.map(({ holder }) =>
    failed.some(({ seen }) => seen.holder === holder) ? { ...holder, told: true as const } : holder,
  );
  const failures = failed.filter(isNew).map(({ failure }) => failure);
  const go = (): PermitDecision => {
    const holder: Holder = { pod: pod.name, uid: pod.uid, by, sinceMs: nowMs };
    const kept = holders.filter(({ uid }) => uid !== pod.uid);
    return { kind: "go", holders: [...kept, holder], failures };
  };
  // The answer was lost: the permit is still its own.
  if (own !== undefined && own.holder.doneMs === undefined) return go();
  if (!pod.isReady) return go();
  const reason = reasonToWait(facts, { others, isStopped: failed.length > 0 });
  return reason === undefined ? go() : { kind: "wait", reason, holders, failures };
}

interface Taken {
  readonly others: readonly SeenHolder[];
  readonly isStopped: boolean;
}

function reasonToWait(facts: PermitFacts, { others, isStopped }: Taken): string | undefined {
  const { workload, budgets, isOvertaken } = facts;
  const { wanted, available } = workload;
  if (isStopped) return "the rotation of another pod has failed";
  const taken = others.length;
  // Some pods that are not available are away for their own rotation. The workload's status comes a
  // moment later than that of its pods, so each permit counts in any case.
  const notReady = others.filter(({ pod }) => pod?.isReady !== true).length;
  const away = taken + Math.max(0, wanted - available - notReady);
  const most = Math.min(workload.maxUnavailable, MOST_PERMITS);
  if (away >= most) {
    const of = wanted === 0 ? "" : `of ${wanted} `;
    return `${away} ${of}pods are away or about to be, and ${most} may be`;
  }
  const stillReady = taken - notReady;
  const budget = budgets.find(({ allowed }) => allowed - stillReady < 1);
  if (budget !== undefined) return `PodDisruptionBudget ${budget.name} allows no disruption`;
  return isOvertaken ? "a pod whose secret expires sooner goes first" : undefined;
}
