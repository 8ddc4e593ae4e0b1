import { exitProcess } from "@svc/kernel";
import { sleep } from "@svc/vault";
import type { AgentLink } from "../agent/agent-link.ts";
import { runtime } from "../engine/runtime.ts";
import { type Failure, failuresOf } from "../errors.ts";
import type { StatusView } from "../health/health-answers.ts";
import type {
  Exit,
  LifeEffect,
  LifeEvent,
  Observation,
  Phase,
  StartOutcome,
} from "../life/life.ts";
import type { Logger } from "../log.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { Children } from "../processes/children.ts";
import type { Couriers, WorkingCourier } from "../processes/couriers.ts";
import { exitWith } from "../processes/exit-with.ts";
import type { SessionHolder } from "../processes/session-holder.ts";
import type { SignalFront } from "../processes/signal-front.ts";
import type { SecretFiles } from "../secret-files/secret-files.ts";
import type { WrapperSettings } from "../settings.ts";
import { awaitReadiness } from "./await-readiness.ts";
import type { Program } from "./delivery.ts";
import { handOver } from "./hand-over.ts";
import type { HealthPort } from "./health-port.ts";
import type { Leftovers } from "./leftovers.ts";
import { askPermit, tellPermit } from "./permits.ts";
import type { ProtectionWatch } from "./protection-watch.ts";
import { refresh } from "./refresh.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotate } from "./rotate.ts";
import { runCheck } from "./run-check.ts";
import { serveUnseal } from "./serve-unseal.ts";
import { startProgram } from "./start-program.ts";

/** The parts of the supervisor that effects work with. Each procedure takes those that it needs. */
export interface LifecycleParts {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  readonly children: Children;
  readonly couriers: Couriers;
  readonly session: SessionHolder;
  readonly front: SignalFront;
  readonly leftovers: Leftovers;
  readonly health: HealthPort;
  readonly view: StatusView;
  /** Undefined if no agent is asked for. */
  readonly agent: AgentLink | undefined;
  readonly protection: ProtectionWatch;
  readonly tellPhase: (phase: Phase) => void;
  /** The courier that is under way; undefined in sealed mode. */
  readonly first: WorkingCourier | undefined;
  /** Undefined if no secret becomes a file. */
  readonly files: SecretFiles | undefined;
  /** Tells an observation, to be counted or shown. */
  readonly observe: (observation: Observation) => void;
}

type Handlers = {
  readonly [Kind in LifeEffect["kind"]]: (effect: Extract<LifeEffect, { kind: Kind }>) => void;
};

/** Carries the lifecycle's effects out, and tells how they ended. */
export class Effects {
  readonly #parts: LifecycleParts;
  readonly #dispatch: (event: LifeEvent) => void;
  /** The controller of the one activity that is under way. */
  #activity = new AbortController();
  readonly #hurry = new AbortController();
  #first: WorkingCourier | undefined;
  #program: Program | undefined;

  constructor(parts: LifecycleParts, dispatch: (event: LifeEvent) => void) {
    this.#dispatch = dispatch;
    this.#first = parts.first;
    this.#parts = parts;
  }

  /** Begins one effect. Slow ones go on afterwards. */
  readonly perform = (effect: LifeEffect): void => {
    // The table has a handler for each kind, which takes effects of that kind.
    const handler = this.#handlers[effect.kind] as (effect: LifeEffect) => void;
    handler(effect);
  };

  /**
   * A mistake of ours must not take a running program down with it, and its end must still be seen.
   */
  readonly giveUp = async (failures: readonly Failure[]): Promise<never> => {
    const { log, settings } = this.#parts;
    const ended = this.#program?.child.ended;
    if (ended === undefined) return exitWith(failures, log, settings.terminationLogPath);
    for (const { code, message, hint } of failures) log.error(message, { code, hint });
    return exitProcess((await ended).exitCode);
  };

  readonly #handlers: Handlers = {
    log: ({ level, message, fields }) => this.#parts.log[level](message, fields),
    "tell phase": ({ phase }) => this.#parts.tellPhase(phase),
    "open health port": () => this.#parts.health.open(),
    "close health port": () => this.#parts.health.close(),
    cancel: () => this.#activity.abort(),
    wait: ({ ms }) => this.#begin((signal) => sleep(ms, signal).then(() => ({ kind: "time" }))),
    "serve unseal": () =>
      this.#begin(async (signal) => ({
        kind: "unseal server ended",
        ...(await serveUnseal(this.#parts, signal)),
      })),
    "start program": (effect) => this.#begin((signal) => this.#start(effect, signal)),
    check: ({ job }) => this.#begin((signal) => this.#check(job, signal)),
    "ask permit": ({ expiresInMs }) =>
      this.#begin(async (signal) => {
        const outcome = await askPermit(this.#parts, expiresInMs, signal);
        return { kind: "permit answered", outcome };
      }),
    "tell permit": ({ say }) => void tellPermit(this.#parts, say),
    rotate: (effect) => this.#begin((signal) => this.#rotate(effect, signal)),
    "follow program": () => this.#program && this.#follow(this.#program),
    "release program": () => this.#parts.front.stands(undefined),
    "measure protection": () => this.#program && this.#parts.protection.measure(this.#program),
    "say protection": () => this.#parts.protection.say(),
    "give token up": () => this.#parts.session.giveTokenUp(),
    "degrade memory": ({ reason }) => this.#parts.couriers.degradeMemory(reason),
    "give memory back": () => runtime.giveMemoryBack(),
    "kill leftovers": () => this.#parts.leftovers.kill(),
    "clear away": ({ leftoversGraceMs }) => void this.#clearAway(leftoversGraceMs),
    hurry: () => this.#hurry.abort(),
    "give up": ({ failures }) => void this.giveUp(failures),
    exit: ({ exit }) => this.#exit(exit),
  };

  /** Does one thing, and reports its end unless it was cancelled. */
  #begin(work: (signal: AbortSignal) => Promise<LifeEvent>): void {
    const activity = new AbortController();
    this.#activity = activity;
    void work(activity.signal)
      .then((event) => {
        if (!activity.signal.aborted) this.#dispatch(event);
      })
      .catch((error) => this.giveUp(failuresOf(error)));
  }

  async #start(
    { notBefore }: Extract<LifeEffect, { kind: "start program" }>,
    signal: AbortSignal,
  ): Promise<LifeEvent> {
    const first = this.#first;
    this.#first = undefined;
    const start = this.#parts.settings.supervise === "never" ? handOver : startProgram;
    const outcome = await start(this.#parts, { first, signal, notBefore });
    this.#parts.files?.clearUp();
    return { kind: "start ended", outcome: this.#adopt(outcome) };
  }

  async #check(job: CheckJob, signal: AbortSignal): Promise<LifeEvent> {
    return { kind: "check ended", outcome: await runCheck(this.#parts, job, signal) };
  }

  async #rotate(
    { by, refuse }: Extract<LifeEffect, { kind: "rotate" }>,
    signal: AbortSignal,
  ): Promise<LifeEvent> {
    const program = this.#program;
    if (program === undefined) throw new TypeError("there is no program to be rotated");
    switch (by) {
      case "restart": {
        const outcome = this.#adopt(await rotate(this.#parts, program, refuse));
        this.#parts.files?.clearUp();
        return { kind: "rotation ended", outcome };
      }
      case "sighup": {
        const outcome = await refresh(this.#parts, { program, refuse, signal });
        this.#parts.files?.clearUp();
        return { kind: "rotation ended", outcome };
      }
    }
  }

  /** Takes a program that runs. */
  #adopt<Outcome extends { readonly kind: string }>(
    outcome: Outcome | { readonly kind: "running"; readonly program: Program },
  ): Outcome | Extract<StartOutcome, { kind: "running" }> {
    if (!("program" in outcome)) return outcome;
    const { program } = outcome;
    this.#program = program;
    runtime.guard.program(program.child.pid);
    return { kind: "running", program };
  }

  #follow({ child, startedAtMs }: Program): void {
    const gone = new AbortController();
    void awaitReadiness(this.#parts, startedAtMs, gone.signal);
    void child.ended.then((ending) => {
      gone.abort();
      runtime.guard.program(undefined);
      this.#program = undefined;
      this.#dispatch({ kind: "program ended", ending });
    });
  }

  async #clearAway(leftoversGraceMs: number | undefined): Promise<void> {
    const { leftovers, log } = this.#parts;
    const steps = [
      revokeToken(this.#parts),
      ...(leftoversGraceMs === undefined
        ? []
        : [leftovers.end(leftoversGraceMs, this.#hurry.signal)]),
    ];
    for (const outcome of await Promise.allSettled(steps)) {
      if (outcome.status === "fulfilled") continue;
      for (const { code, message } of failuresOf(outcome.reason)) log.error(message, { code });
    }
    this.#dispatch({ kind: "cleared" });
  }

  #exit(exit: Exit): never {
    const { log, settings } = this.#parts;
    switch (exit.kind) {
      case "program":
        return exitProcess(exit.ending.exitCode);
      case "signal":
        return exitProcess(128 + exit.signal);
      case "failures":
        return exitWith(exit.failures, log, settings.terminationLogPath);
    }
  }
}
