import { canBeUnsealed } from "../can-be-unsealed.ts";
import type { Failure } from "../errors.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { CheckResult } from "../messages/courier-message.ts";
import { noFailures } from "./check-history.ts";
import { countCheck, countFailedRenewals, countRenewals } from "./counts.ts";
import { afterCheck, checkJob, firstExpiryMs } from "./knowledge.ts";
import type { CheckOutcome, LifeContext, LifeEffect, Step } from "./life.ts";
import { planRotation } from "./plan-rotation.ts";
import { doing, goOn, knowing, type RunningLife, withChecks, withStage } from "./running-life.ts";
import { beginUnsealing } from "./sealed.ts";
import { andThen, degradeMemory, say, sayFailures, step } from "./steps.ts";

/** A sweep costs 3 ms, and without any the idle supervisor would grow by a megabyte. */
const CHECKS_A_SWEEP = 8;

/** Begins a check. */
export function check(life: RunningLife, { settings, nowMs, token }: LifeContext): Step {
  const { checks } = life.stage;
  const slackMs = settings.rotation.renewalIntervalMs / 2 + checks.tookMs;
  const job = checkJob(life.knowledge, token, { nowMs, slackMs });
  const checking = doing(life, { kind: "checking", job, sinceMs: nowMs });
  return step(withChecks(checking, { hurry: false }), { kind: "check", job });
}

interface Checking {
  readonly job: CheckJob;
  readonly sinceMs: number;
}

/** A check has ended. */
export function onCheckEnd(
  life: RunningLife,
  outcome: CheckOutcome,
  { job, sinceMs }: Checking,
  context: LifeContext,
): Step {
  const number = life.stage.checks.count + 1;
  const isUnstarted = outcome.kind === "failed" && outcome.isUnstarted === true;
  const counted = withChecks(life, {
    count: number,
    unstarted: isUnstarted ? life.stage.checks.unstarted + 1 : 0,
    tookMs: context.nowMs - sinceMs,
  });
  const sweep = number % CHECKS_A_SWEEP === 1 ? [{ kind: "give memory back" } as const] : [];
  return andThen(step(counted, ...sweep), () =>
    outcome.kind === "done"
      ? onChecked(counted, outcome.result, job, context)
      : onFailedCheck(counted, outcome.failures, job, context),
  );
}

function onChecked(
  life: RunningLife,
  result: CheckResult,
  job: CheckJob,
  context: LifeContext,
): Step {
  const { failures, changed, older } = result;
  const known = knowing(life, afterCheck(life.knowledge, result, context), context);
  const renewed = countRenewals(known, result, job);
  const line = say("debug", "the secrets were checked", {
    changed,
    loggedIn: result.loggedIn,
    tokenTtlMs: result.token?.ttlMs,
    leasesRenewed: result.renewedLeases.length,
  });
  const before = life.stage.checks.failures;
  if (failures.length > 0) {
    const [lastFailure] = failures;
    const counted = countCheck(renewed, "failed");
    const failed = withChecks(counted, { failures: before + 1, lastFailure });
    return andThen(step(failed, line, ...sayUnchecked(failures)), () =>
      afterLook(failed, changed, context),
    );
  }
  const good = withChecks(countCheck(renewed, changed ? "changed" : "unchanged"), noFailures);
  const lines = [
    line,
    ...(older ? [say("debug", "a node of the vault is behind: it is not listened to")] : []),
    ...(before > 0 ? [say("info", "the secrets can be checked again")] : []),
  ];
  return andThen(step(good, ...lines), () => afterLook(good, changed, context));
}

/** Plans a rotation if the program's secrets have to be replaced. */
function afterLook(life: RunningLife, changed: boolean, context: LifeContext): Step {
  const [ending] = life.knowledge.ending;
  if (ending === undefined && !changed)
    return goOn(withStage(life, { isOutdated: false }), context);
  const reason =
    ending === undefined
      ? "a secret has changed"
      : `the lease of ${ending.path} ends: ${ending.reason}`;
  const expiresAtMs = firstExpiryMs(life.knowledge);
  const plan = planRotation(life, { reason, expiresAtMs }, context);
  const planned = withStage(life, { rotateAtMs: plan.rotateAtMs, isOutdated: true });
  return andThen(step(planned, ...plan.effects), () => goOn(planned, context));
}

function onFailedCheck(
  life: RunningLife,
  failures: readonly Failure[],
  job: CheckJob,
  context: LifeContext,
): Step {
  const failed = withChecks(countFailedRenewals(countCheck(life, "failed"), job), {
    failures: life.stage.checks.failures + 1,
    lastFailure: failures[0],
  });
  const isRefused = failures.some(({ code }) => code === "TOKEN_REFUSED");
  if (isRefused && canBeUnsealed(context.settings, true)) {
    const unsealing = doing(failed, { kind: "unsealing" });
    return andThen(step(unsealing, ...sayFailures("error", failures)), beginUnsealing);
  }
  const degraded = degradeMemory(failures, context);
  if (degraded.length > 0) {
    const hurried = withChecks(failed, { hurry: true });
    return andThen(step(hurried, ...degraded), () => goOn(hurried, context));
  }
  const line = say("debug", "the check failed", { failures: failed.stage.checks.failures });
  return andThen(step(failed, ...sayUnchecked(failures), line), () => goOn(failed, context));
}

function sayUnchecked(failures: readonly Failure[]): readonly LifeEffect[] {
  return sayFailures("warn", failures, "the secrets could not be checked: ");
}
