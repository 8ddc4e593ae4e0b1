import type { WrapperCounts } from "../health/wrapper-facts.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { CheckResult } from "../messages/courier-message.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { Life, LifeContext } from "./life.ts";
import { count } from "./steps.ts";

/** Counts a check. */
export function countCheck<L extends Life>(life: L, result: "unchanged" | "changed" | "failed"): L {
  return count(life, ({ checks }) => ({ checks: { ...checks, [result]: checks[result] + 1 } }));
}

/** Counts a hint of the operator. */
export function countHint<L extends Life>(life: L, hint: "fresh" | "changed" | "refused"): L {
  return count(life, ({ hints }) => ({ hints: { ...hints, [hint]: hints[hint] + 1 } }));
}

/** Counts the logins and renewals of a check that came through. */
export function countRenewals<L extends Life>(life: L, result: CheckResult, job: CheckJob): L {
  const { loggedIn, renewedLeases, endingLeases } = result;
  const ofToken = job.token.kind === "renew" ? 1 : 0;
  const tokenRenewed = loggedIn || result.token === undefined ? 0 : ofToken;
  const failed = job.leases.length - renewedLeases.length - endingLeases.length;
  return count(life, ({ renewals, logins }) => ({
    renewals: {
      renewed: renewals.renewed + renewedLeases.length + tokenRenewed,
      refused: renewals.refused + endingLeases.length + ofToken - tokenRenewed,
      failed: renewals.failed + failed,
    },
    logins: logins + (loggedIn ? 1 : 0),
  }));
}

/** Counts the renewals that a failed check did not make. */
export function countFailedRenewals<L extends Life>(life: L, { token, leases }: CheckJob): L {
  const failed = leases.length + (token.kind === "renew" ? 1 : 0);
  return count(life, ({ renewals }) => ({
    renewals: { ...renewals, failed: renewals.failed + failed },
  }));
}

/** Counts a rotation. */
export function countRotation<L extends Life>(
  life: L,
  result: "completed" | "failed",
  { settings }: LifeContext,
): L {
  const { way, restarts } = rotationOf(settings);
  if (way === undefined) return life;
  const restarted = result === "completed" && restarts ? 1 : 0;
  return count(life, ({ rotations, applicationRestarts }) => ({
    rotations: {
      ...rotations,
      [way]: { ...rotations[way], [result]: rotations[way][result] + 1 },
    },
    applicationRestarts: {
      ...applicationRestarts,
      rotation: applicationRestarts.rotation + restarted,
    },
  }));
}

/** Rotations that came through. */
export function completedRotations({ rotations }: WrapperCounts): number {
  return Object.values(rotations).reduce((sum, { completed }) => sum + completed, 0);
}
