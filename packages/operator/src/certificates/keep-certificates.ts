import { type Log, pause } from "@svc/logging";
import { type UnrepeatedLog, unrepeatedLog } from "../unrepeated-log.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import type { CertificateStore, StoreState } from "./certificate-store.ts";
import type { Generation } from "./generation.ts";
import { nextStep, type RotationRules, type RotationStep } from "./next-step.ts";
import { trustClock } from "./trust-clock.ts";
import type { OwnWebhook, WebhookTrustClient } from "./webhook-trust.ts";

/** The leader's tools for certificates. */
export interface KeeperOptions {
  readonly store: CertificateStore;
  readonly webhooks: WebhookTrustClient;
  readonly rules: RotationRules;
  /** Makes a generation that is valid from now on. */
  readonly make: () => Promise<Generation>;
  readonly log: Log;
  readonly metrics: CertificateMetrics;
  /** How often it looks, in milliseconds; by default 10 s. */
  readonly checkMs?: number;
  readonly clock?: KeeperClock;
}

/** The present time. */
export interface KeeperClock {
  /** In milliseconds since the epoch. */
  readonly wallMs: () => number;
  /** The time of a clock that does not jump. */
  readonly steadyMs: () => number;
}

const CHECK_MS = 10_000;
/** More steps than a rotation has: another client undoes them, and a pause is due. */
const MOST_STEPS = 8;

const systemClock: KeeperClock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
};

/**
 * Looks after the certificates of all replicas until the signal is aborted; for the leader only.
 * Never rejects.
 */
export async function keepCertificates(options: KeeperOptions, signal: AbortSignal): Promise<void> {
  const keeper = certificateKeeper(options);
  const { checkMs = CHECK_MS, log } = options;
  const trouble = unrepeatedLog(log);
  while (!signal.aborted) {
    const waitMs = await lookAfter(keeper, { trouble, signal, checkMs });
    await pause(Math.min(Math.max(waitMs, 0), checkMs), signal);
  }
}

interface Round {
  readonly trouble: UnrepeatedLog;
  readonly signal: AbortSignal;
  readonly checkMs: number;
}

async function lookAfter(keeper: Keeper, { trouble, signal, checkMs }: Round): Promise<number> {
  try {
    for (let steps = 0; steps < MOST_STEPS && !signal.aborted; steps += 1) {
      const step = await keeper(signal);
      if (step.kind === "wait") {
        trouble.over();
        return step.ms;
      }
    }
  } catch (error) {
    trouble.say(
      "error",
      error instanceof Error ? error.message : "look after certificates: it failed",
    );
  }
  return checkMs;
}

/** Looks at everything, and does one step; gives which. @throws KubernetesError */
export type Keeper = (signal: AbortSignal) => Promise<RotationStep>;

/** Makes a keeper, which remembers only since when it has seen an authority trusted. */
export function certificateKeeper(options: KeeperOptions): Keeper {
  const { store, webhooks, rules, clock = systemClock } = options;
  const trustedFor = trustClock(clock.steadyMs);
  const lonely = unrepeatedLog(options.log);
  return async (signal) => {
    // In this order: an authority that is in a webhook now was in the Secret before, so the bundle
    // below lacks none.
    const trusts = await webhooks.read();
    if (trusts.length > 0) lonely.over();
    else
      lonely.say("warn", `no webhook trusts replicas: none of ${webhooks.name} calls the service`);
    const state = await store.read();
    const { stored } = state;
    const trustedForMs = trustedFor(stored.next, trusts);
    const step = nextStep({ stored, trusts, trustedForMs, nowMs: clock.wallMs() }, rules);
    if (!signal.aborted) await take(step, { options, state, trusts });
    return step;
  };
}

interface Seen {
  readonly options: KeeperOptions;
  readonly state: StoreState;
  readonly trusts: readonly OwnWebhook[];
}

/** If another client was faster, it does nothing: the next look shows the state. */
async function take(step: RotationStep, { options, state, trusts }: Seen): Promise<void> {
  const { store, webhooks, log, metrics } = options;
  switch (step.kind) {
    case "remember":
      if (await store.write(step.stored, state)) {
        log(
          "warn",
          `${store.name} has lost the certificate of the replicas: its authority stays trusted`,
        );
      }
      return;
    case "make": {
      const generation = await options.make();
      const next = { kind: "usable", generation } as const;
      if (!(await store.write({ ...state.stored, next }, state))) return;
      const expires = new Date(generation.expiresMs).toISOString();
      log("info", "a certificate was made", { reason: step.reason, expires });
      return;
    }
    case "publish":
      try {
        if (!(await webhooks.publish(trusts, step.authorities))) return;
      } catch (error) {
        metrics.patchFailed();
        throw error;
      }
      log("info", "the webhooks trust other authorities", { authorities: step.authorities.length });
      return;
    case "promote":
      if (!(await store.write(step.stored, state))) return;
      metrics.rotated();
      log("info", "the certificate that was made is served from now on");
      return;
    case "wait":
  }
}
