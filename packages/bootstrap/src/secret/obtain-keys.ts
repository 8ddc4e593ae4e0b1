import { type InitialisationWish, type Initialised, Secret } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";
import { KEEPING_PATIENCE, keepKeys } from "./keep-keys.ts";
import { nextStep } from "./next-step.ts";
import { parsePhase } from "./parse-phase.ts";
import { reserveSecret } from "./reserve-secret.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import type { SecretDoor, SecretObject } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";
import type { StoreStanding } from "./store-standing.ts";
import { writePhase } from "./write-phase.ts";

/** What the keys of a store are obtained with. */
export interface KeyWork {
  readonly door: SecretDoor;
  readonly shamir: InitialisationWish;
  /** Names this run and no other. */
  readonly holder: string;
  /** Where the store stands now. */
  readonly standing: () => Promise<StoreStanding>;
  /** Initialises the store; see `initialiseStore`. */
  readonly initialise: () => Promise<Initialised>;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly now?: () => number;
  /** How long new keys may take to be stored; 300,000 ms unless told. */
  readonly keeping?: Patience;
}

/** The keys, which are in the Secret. */
export interface ObtainedKeys {
  readonly outcome: "created" | "unchanged";
  readonly keys: StoredKeys;
}

const PATIENCE: Patience = { deadlineMs: 30_000, intervalMs: 250 };
/** To reserve, to initialise, and to lose both races some times. */
const ROUNDS = 10;

/**
 * Gives the keys of a store: those in the Secret, or those of a store that it initialises, once they are in the
 * Secret. It can be killed at any point and run again: it goes on, or stops with what it found.
 *
 * @throws BootstrapError what `nextStep` stops with; `OUTPUT_NOT_KEPT`, `OUTPUT_BESIDE`, `KEYS_NOT_STORED`,
 *   `KUBERNETES_*`, and what the initialisation throws
 * @throws VaultError
 */
export async function obtainKeys(work: KeyWork): Promise<ObtainedKeys> {
  for (let round = 0; round < ROUNDS; round++) {
    const obtained = await takeStep(work);
    if (obtained !== undefined) return obtained;
  }
  const found = `after ${ROUNDS} attempts this run's reservation is not there`;
  throw new BootstrapError("OUTPUT_NOT_KEPT", `reserve ${work.door.name}: ${found}`);
}

/** Looks at both sides and does the next thing; undefined where that was not the last. */
async function takeStep(work: KeyWork): Promise<ObtainedKeys | undefined> {
  const { door, holder, now = Date.now } = work;
  const seen = await retryUnreachable(() => door.read(), PATIENCE);
  const run = { holder, nowMs: now() };
  const next = nextStep({ secret: parsePhase(seen), store: await work.standing(), run });
  switch (next.step) {
    case "reserve": {
      const reservation = { phase: "reserved", holder, sinceMs: run.nowMs } as const;
      // Whether it arrived is seen in the next round.
      await retryUnreachable(() => reserveSecret(door, seen, reservation), PATIENCE);
      return undefined;
    }
    case "initialise":
      return initialise(work, seen);
    case "unseal":
      return { outcome: "unchanged", keys: next.keys };
    case "stop":
      // Two looks at two servers are not one: another run may have gone on in between.
      if (await hasChanged(door, seen)) return undefined;
      throw new BootstrapError(next.code, `use ${door.name}: ${next.found}`);
  }
}

async function hasChanged(door: SecretDoor, seen: SecretObject | undefined): Promise<boolean> {
  const again = await retryUnreachable(() => door.read(), PATIENCE);
  return again?.revision.resourceVersion !== seen?.revision.resourceVersion;
}

async function initialise(
  work: KeyWork,
  seen: SecretObject | undefined,
): Promise<ObtainedKeys | undefined> {
  const { door, shamir, now = Date.now, keeping = KEEPING_PATIENCE } = work;
  if (seen === undefined) return undefined;
  const content = writePhase(dummyKeys(shamir, now()));
  // A right that is missing, a webhook or a limit shows now, not when the only keys are in hand.
  const rehearsed = await retryUnreachable(() => door.rehearse(content, seen.revision), PATIENCE);
  if (rehearsed === "conflict") return undefined;
  const keys = await work.initialise().catch(async (error: unknown) => {
    await release(work, seen);
    throw error;
  });
  const { threshold } = shamir;
  const stored = await keepKeys(door, { ...keys, threshold, createdMs: now() }, keeping);
  return { outcome: "created", keys: stored };
}

/**
 * Lets the next run take over at once. Where the store is initialised after all, that run sees it and stops as
 * it would have done without this.
 */
async function release({ door, holder }: KeyWork, seen: SecretObject): Promise<void> {
  const past = { phase: "reserved", holder, sinceMs: 0 } as const;
  // What has failed is what is to be reported.
  await reserveSecret(door, seen, past).catch(() => undefined);
}

/** Of the size of real ones, or more. */
function dummyKeys(
  { shares, threshold, pgpKeys }: InitialisationWish,
  createdMs: number,
): StoredKeys {
  const share = new Secret("x".repeat(pgpKeys === undefined ? 64 : 2048));
  return {
    phase: "initialised",
    shares: Array.from({ length: shares }, () => share),
    threshold,
    rootToken: share,
    clusterId: undefined,
    createdMs,
  };
}
