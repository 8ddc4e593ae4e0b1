import { canBeUnsealed } from "../can-be-unsealed.ts";
import type { CheckJob } from "../courier-job.ts";
import type { CheckResult } from "../courier-message.ts";
import { runtime } from "../engine/runtime.ts";
import type { Failure } from "../errors.ts";
import { degradeMemory } from "./degrade-memory.ts";
import { runErrand } from "./errand.ts";
import { afterCheck, checkJob, firstExpiryMs, type Knowledge, nextDueMs } from "./knowledge.ts";
import { checkPauseMs } from "./pace.ts";
import { sleep } from "./sleep.ts";
import type { World } from "./world.ts";

/** A courier that hangs is ended; its own limits are well below. */
const CHECK_TIMEOUT_MS = 60_000;

/** A sweep costs 3 ms, and without any the idle supervisor would grow by a megabyte. */
const CHECKS_A_SWEEP = 8;

/** Why the watch came back. */
export type WatchEvent =
  /** The program's secrets have to be replaced. */
  | { readonly kind: "changed"; readonly reason: string; readonly expiresAtMs: number }
  /** The token is dead and nothing but a person can bring another one. */
  | { readonly kind: "token lost"; readonly failures: readonly Failure[] }
  /** The time has come that was told. */
  | { readonly kind: "due" }
  | { readonly kind: "cancelled" };

/** Keeps a program's token and leases alive and looks for changes, check by check. */
export class SecretsWatch {
  readonly #world: World;
  #knowledge: Knowledge;
  #failures = 0;
  #first = true;
  #hurry = false;
  #checks = 0;
  /** How long the last check took: while one is under way, nothing is renewed. */
  #tookMs = 0;

  constructor(world: World, knowledge: Knowledge) {
    this.#world = world;
    this.#knowledge = knowledge;
    world.status.knowledge = knowledge;
  }

  get knowledge(): Knowledge {
    return this.#knowledge;
  }

  /** Takes what a rotation has brought. */
  replace(knowledge: Knowledge): void {
    this.#knowledge = knowledge;
    this.#world.status.knowledge = knowledge;
    this.#failures = 0;
  }

  /** Lets the next check come at once. */
  hurry(): void {
    this.#hurry = true;
  }

  /**
   * Checks until something has to be done about the program, a moment of performance.now has come, or the
   * signal aborts. A check that is under way is waited for: it may bring a token.
   */
  async next(signal: AbortSignal, untilMs: number): Promise<WatchEvent> {
    for (;;) {
      const pauseMs = this.#pauseMs();
      const leftMs = untilMs - performance.now();
      await sleep(Math.min(pauseMs, leftMs), signal);
      if (signal.aborted) return { kind: "cancelled" };
      if (leftMs <= pauseMs) return { kind: "due" };
      const event = await this.#check(signal);
      if (signal.aborted) return { kind: "cancelled" };
      if (event !== undefined) return event;
    }
  }

  async #check(signal: AbortSignal): Promise<WatchEvent | undefined> {
    const { settings, session, log } = this.#world;
    this.#first = false;
    this.#hurry = false;
    const startedMs = performance.now();
    const job = checkJob(this.#knowledge, session.token, {
      nowMs: startedMs,
      slackMs: settings.rotation.renewalIntervalMs / 2 + this.#tookMs,
    });
    const outcome = await runErrand(this.#world, job, ["checked"], {
      timeoutMs: CHECK_TIMEOUT_MS + settings.vault.requestTimeoutMs,
      signal,
    });
    this.#tookMs = performance.now() - startedMs;
    this.#checks += 1;
    if (this.#checks % CHECKS_A_SWEEP === 1) runtime.giveMemoryBack();
    if (signal.aborted) return undefined;
    if (outcome.kind === "done") return this.#onChecked(outcome.message, job);
    this.#failures += 1;
    this.#note("failed");
    this.#noteFailedRenewals(job);
    if (this.#isLost(outcome.failures)) {
      return { kind: "token lost", failures: outcome.failures };
    }
    if (degradeMemory(this.#world, outcome.failures)) {
      this.#hurry = true;
      return undefined;
    }
    this.#say(outcome.failures);
    log.debug("the check failed", { failures: this.#failures });
    return undefined;
  }

  #onChecked(result: CheckResult, job: CheckJob): WatchEvent | undefined {
    const moment = { nowMs: performance.now(), random: Math.random() };
    this.#knowledge = afterCheck(this.#knowledge, result, moment);
    this.#world.status.knowledge = this.#knowledge;
    this.#noteRenewals(result, job);
    this.#world.log.debug("the secrets were checked", {
      changed: result.changed,
      loggedIn: result.loggedIn,
      tokenTtlMs: result.token?.ttlMs,
      leasesRenewed: result.renewedLeases.length,
    });
    if (result.failures.length > 0) {
      this.#failures += 1;
      this.#note("failed");
      this.#say(result.failures);
    } else {
      if (result.older)
        this.#world.log.debug("a node of the vault is behind: it is not listened to");
      if (this.#failures > 0) this.#world.log.info("the vault answers again");
      this.#failures = 0;
      this.#note(result.changed ? "changed" : "unchanged");
    }
    return this.#change(result.changed);
  }

  #change(changed: boolean): WatchEvent | undefined {
    const [ending] = this.#knowledge.ending;
    const expiresAtMs = firstExpiryMs(this.#knowledge);
    if (ending !== undefined) {
      const reason = `the lease of ${ending.path} ends: ${ending.reason}`;
      return { kind: "changed", reason, expiresAtMs };
    }
    return changed ? { kind: "changed", reason: "a secret has changed", expiresAtMs } : undefined;
  }

  #isLost(failures: readonly Failure[]): boolean {
    const { settings } = this.#world;
    return canBeUnsealed(settings, true) && failures.some(({ code }) => code === "TOKEN_REFUSED");
  }

  #pauseMs(): number {
    const { settings, session } = this.#world;
    if (this.#hurry) return 0;
    return checkPauseMs({
      intervalMs: settings.rotation.renewalIntervalMs,
      failures: this.#failures,
      first: this.#first,
      tokenUnknown: session.token === undefined,
      dueInMs: nextDueMs(this.#knowledge, session.token) - performance.now(),
      random: Math.random(),
    });
  }

  #say(failures: readonly Failure[]): void {
    for (const { code, message, hint } of failures) {
      this.#world.log.warn(`the secrets could not be checked: ${message}`, { code, hint });
    }
  }

  #note(result: "unchanged" | "changed" | "failed"): void {
    this.#world.status.note(({ checks }) => ({
      checks: { ...checks, [result]: checks[result] + 1 },
    }));
  }

  #noteRenewals(result: CheckResult, { token, leases }: CheckJob): void {
    const { loggedIn, renewedLeases, endingLeases } = result;
    const ofToken = token.kind === "renew" ? 1 : 0;
    const tokenRenewed = loggedIn || result.token === undefined ? 0 : ofToken;
    const failed = leases.length - renewedLeases.length - endingLeases.length;
    this.#world.status.note(({ renewals, logins }) => ({
      renewals: {
        renewed: renewals.renewed + renewedLeases.length + tokenRenewed,
        refused: renewals.refused + endingLeases.length + ofToken - tokenRenewed,
        failed: renewals.failed + failed,
      },
      logins: logins + (loggedIn ? 1 : 0),
    }));
  }

  #noteFailedRenewals({ token, leases }: CheckJob): void {
    const failed = leases.length + (token.kind === "renew" ? 1 : 0);
    this.#world.status.note(({ renewals }) => ({
      renewals: { ...renewals, failed: renewals.failed + failed },
    }));
  }
}
