import { canBeUnsealed } from "../can-be-unsealed.ts";
import { type Failure, failure } from "../errors.ts";
import type { Life, LifeContext, LifeEffect, Phase, Step } from "./life.ts";
import { andThen, degradeMemory, enterPhase, say, sayFailures, step } from "./steps.ts";

const PAUSE_MS = 1000;

/** How an unseal server has ended. */
export interface UnsealServerEnd {
  readonly exitCode: number;
  readonly failures: readonly Failure[];
}

/** The decision after an unseal server's end. */
export type AfterUnsealServer =
  | { readonly kind: "unsealed"; readonly effects: readonly LifeEffect[] }
  /** The next one serves now, or after a pause. */
  | { readonly kind: "again"; readonly effects: readonly LifeEffect[] }
  /** No token could be kept. */
  | { readonly kind: "hopeless"; readonly failure: Failure };

/** Whether the wrapper waits for a token before it starts a program. */
export function isSealed({ hasRun }: Life, { settings, hasToken }: LifeContext): boolean {
  return canBeUnsealed(settings, hasRun) && !hasToken;
}

/** Begins sealed mode: the unseal server gets the health port. The caller sets the stage. */
export function beginUnsealing(life: Life): Step {
  return andThen(step(life, { kind: "close health port" }), (closed) =>
    andThen(enterPhase(closed, sealedPhase(life.applicationRuns)), (entered) =>
      step(entered, { kind: "give token up" }, { kind: "serve unseal" }),
    ),
  );
}

/** A program that runs on is as good as in an outage: SVC_STALE_AFTER says for how long. */
function sealedPhase(applicationRuns: boolean): Phase {
  return applicationRuns
    ? { kind: "running", sealed: true }
    : { kind: "sealed", reason: "POST /v1/unseal has to bring a token" };
}

/** Decides by how an unseal server ended, and whether there is a token now. */
export function afterUnsealServer(
  { exitCode, failures: said }: UnsealServerEnd,
  context: LifeContext,
): AfterUnsealServer {
  const { hasToken } = context;
  const isSilent = said.length === 0 && !hasToken;
  const failures = isSilent
    ? [failure("COURIER_ENDED", `the unseal server has ended with ${exitCode}`)]
    : said;
  const degraded = degradeMemory(failures, context);
  if (degraded.length > 0) {
    if (hasToken) return { kind: "unsealed", effects: [...degraded, say("info", "unsealed")] };
    return { kind: "again", effects: [...degraded, { kind: "serve unseal" }] };
  }
  const hopeless = failures.find(({ code }) => code === "MEMORY_LOCK_LIMIT");
  if (hopeless !== undefined) return { kind: "hopeless", failure: hopeless };
  const lines = sayFailures("error", failures);
  if (hasToken) return { kind: "unsealed", effects: [...lines, say("info", "unsealed")] };
  return { kind: "again", effects: [...lines, { kind: "wait", ms: PAUSE_MS }] };
}

/** Sealed mode cannot go on: the wrapper exits, or does when the program that runs ends. */
export function giveUp(life: Life, failure: Failure): Step {
  const failures = [failure];
  const exit = { kind: "failures", failures } as const;
  return step(
    { ...life, stage: { kind: "ending", exit, onSignal: "switch" } },
    { kind: "give up", failures },
  );
}
