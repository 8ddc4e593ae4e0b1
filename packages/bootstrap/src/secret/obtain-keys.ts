import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";
import { createKeys } from "./create-keys.ts";
import type { KeyWork, ObtainedKeys } from "./key-work.ts";
import { nextStep } from "./next-step.ts";
import { parsePhase } from "./parse-phase.ts";
import { plainOfStored } from "./plain-keys.ts";
import { reserveSecret } from "./reserve-secret.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import type { SecretClient, SecretObject } from "./secret-object.ts";

const PATIENCE: Patience = { deadlineMs: 30_000, intervalMs: 250 };
/** To reserve, to initialise, and to lose both races some times. */
const ROUNDS = 10;

/**
 * Gives the keys of a store: those in the Secret, or those of a store that it initialises, once
 * they are in the Secret. It can be killed at any point and run again: it continues, or stops with
 * its finding.
 *
 * @throws BootstrapError the errors of `nextStep`; `OUTPUT_NOT_KEPT`, `OUTPUT_BESIDE`,
 *   `KEYS_NOT_STORED`,
 *   `STORE_RESET`, `RESET_REFUSED`, `KUBERNETES_*`, and the errors of the initialisation
 * @throws VaultError
 */
export async function obtainKeys(work: KeyWork): Promise<ObtainedKeys> {
  for (let round = 0; round < ROUNDS; round++) {
    const obtained = await takeStep(work);
    if (obtained !== undefined) return obtained;
  }
  const found = `after ${ROUNDS} attempts this run's reservation is not there`;
  throw new BootstrapError("OUTPUT_NOT_KEPT", `reserve ${work.secret.name}: ${found}`);
}

/** Looks at both sides and does the next thing; undefined if that was not the last. */
async function takeStep(work: KeyWork): Promise<ObtainedKeys | undefined> {
  const { secret, holder, now = Date.now } = work;
  const seen = await retryUnreachable(() => secret.read(), PATIENCE);
  const run = { holder, nowMs: now(), mayReset: work.reset !== undefined };
  const next = nextStep({ secret: parsePhase(seen), store: await work.standing(), run });
  switch (next.step) {
    case "reserve": {
      const { resets } = next;
      const reservation = { phase: "reserved", holder, sinceMs: run.nowMs, resets } as const;
      // Whether it arrived is seen in the next round.
      await retryUnreachable(() => reserveSecret(secret, seen, reservation), PATIENCE);
      return undefined;
    }
    case "initialise":
      return seen && createKeys(work, { seen, resets: next.resets }, PATIENCE);
    case "reset":
      if (seen !== undefined) await work.reset?.(next.held, seen);
      return undefined;
    case "unseal":
      return { outcome: "unchanged", stored: next.keys, plain: plainOfStored(next.keys) };
    case "stop":
      // Two looks at two servers are not one: another run may have gone on in between.
      if (await hasChanged(secret, seen)) return undefined;
      throw new BootstrapError(next.code, `use ${secret.name}: ${next.found}`);
  }
}

async function hasChanged(secret: SecretClient, seen: SecretObject | undefined): Promise<boolean> {
  const again = await retryUnreachable(() => secret.read(), PATIENCE);
  return again?.revision.resourceVersion !== seen?.revision.resourceVersion;
}
