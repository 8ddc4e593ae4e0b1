import type { Failure } from "../errors.ts";
import type { Ending } from "../supervisor/children.ts";
import { degradeMemory } from "./degrade-memory.ts";
import type { DeliveryOutcome, Program } from "./delivery.ts";
import { type Knowledge, learn, learnUnchanged, mayGoBack } from "./knowledge.ts";
import { measureSoon } from "./measure-soon.ts";
import { rotationPauseMs } from "./pace.ts";
import { type RefreshOutcome, refresh } from "./refresh.ts";
import { type RotationOutcome, rotate, type ValuesToRefuse } from "./rotate.ts";
import { unseal } from "./unseal.ts";
import { SecretsWatch, type WatchEvent } from "./watch-secrets.ts";
import type { World } from "./world.ts";

/** How the time of a program, and of those that replaced it, came to its end. */
export type RunOutcome =
  | { readonly kind: "ended"; readonly ending: Ending; readonly program: Program }
  /** The old program was ended, and the new one could not be started. */
  | { readonly kind: "lost"; readonly outcome: DeliveryOutcome };

/** Stays with a program until it ends: keeps its secrets fresh, and replaces it when they change. */
export async function keepRunning(world: World, program: Program): Promise<RunOutcome> {
  return new ProgramKeeper(world, program).keep();
}

type ChangeEvent = Extract<WatchEvent, { readonly kind: "changed" }>;

class ProgramKeeper {
  readonly #world: World;
  readonly #watch: SecretsWatch;
  #program: Program;
  #rotatedAtMs: number;
  #rotateAtMs = Number.POSITIVE_INFINITY;
  /** Rotations that have failed since the last that did not. */
  #failedRotations = 0;

  constructor(world: World, program: Program) {
    this.#world = world;
    this.#program = program;
    this.#rotatedAtMs = program.startedAtMs;
    this.#watch = new SecretsWatch(world, learnedWith(program));
  }

  async keep(): Promise<RunOutcome> {
    const { settings, status } = this.#world;
    for (;;) {
      status.enter({ kind: "running" });
      status.applicationRunning = true;
      const program = this.#program;
      const event =
        settings.rotation.mode === "none"
          ? await program.child.ended.then(() => "ended" as const)
          : await this.#untilEnd((signal) => this.#watch.next(signal, this.#rotateAtMs));
      const over = event === "ended" ? await this.#ended() : await this.#onEvent(event);
      if (over !== undefined) {
        status.applicationRunning = false;
        return over;
      }
    }
  }

  async #onEvent(event: WatchEvent): Promise<RunOutcome | undefined> {
    switch (event.kind) {
      case "cancelled":
        return this.#ended();
      case "changed":
        this.#planRotation(event);
        return undefined;
      case "due":
        this.#rotateAtMs = Number.POSITIVE_INFINITY;
        return this.#rotate();
      case "token lost":
        return this.#unseal(event.failures);
    }
  }

  async #unseal(failures: readonly Failure[]): Promise<RunOutcome | undefined> {
    for (const { code, message, hint } of failures) {
      this.#world.log.error(message, { code, hint });
    }
    const over = await this.#untilEnd((signal) => unseal(this.#world, signal));
    if (over === "ended") return this.#ended();
    this.#world.health.open();
    this.#watch.hurry();
    return undefined;
  }

  /** Tokens and leases are renewed until then. One plan is enough: a rotation fetches what is there by then. */
  #planRotation(event: ChangeEvent): void {
    const { log, settings } = this.#world;
    const nowMs = performance.now();
    if (this.#rotateAtMs !== Number.POSITIVE_INFINITY) {
      const soonerMs = nowMs + Math.max(0, event.expiresAtMs - nowMs) / 2;
      const earliestMs = this.#rotatedAtMs + settings.rotation.minIntervalMs;
      this.#rotateAtMs = Math.min(this.#rotateAtMs, Math.max(earliestMs, soonerMs));
      return;
    }
    const pauseMs = Math.max(0, this.#pauseMs(event));
    this.#rotateAtMs = nowMs + pauseMs;
    if (this.#rotateAtMs > event.expiresAtMs) {
      log.warn("a lease is shorter than SVC_ROTATION_MIN_INTERVAL: its secret expires before", {
        expiredForMs: Math.round(this.#rotateAtMs - event.expiresAtMs),
      });
    }
    log.info(`${event.reason}: the program gets new values`, {
      rotation: settings.rotation.mode,
      inMs: Math.round(pauseMs),
    });
  }

  async #rotate(): Promise<RunOutcome | undefined> {
    const outcome = await this.#apply();
    switch (outcome.kind) {
      case "ended":
        return this.#ended();
      case "lost":
        this.#note("failed");
        return outcome;
      case "failed":
        if (degradeMemory(this.#world, outcome.failures)) return this.#rotate();
        this.#failedRotations += 1;
        this.#note("failed");
        this.#say(outcome.failures);
        return undefined;
      case "unchanged":
        this.#succeeded(learnUnchanged(this.#watch.knowledge, outcome.state, moment()));
        this.#world.log.info("the program has these secrets already: it is left alone");
        return undefined;
      case "refreshed":
        this.#rotatedAtMs = performance.now();
        this.#succeeded(learn(outcome.state, moment()));
        this.#note("completed");
        return undefined;
      case "running":
        this.#program = outcome.program;
        this.#rotatedAtMs = outcome.program.startedAtMs;
        measureSoon(this.#world, outcome.program);
        this.#succeeded(learnedWith(outcome.program));
        this.#note("completed");
        return undefined;
    }
  }

  #succeeded(knowledge: Knowledge): void {
    this.#failedRotations = 0;
    this.#watch.replace(knowledge);
  }

  async #apply(): Promise<RotationOutcome | RefreshOutcome> {
    if (this.#world.settings.rotation.mode === "restart") {
      return rotate(this.#world, this.#program, this.#toRefuse());
    }
    const refreshed = await this.#untilEnd((signal) =>
      refresh(this.#world, this.#program, this.#toRefuse(), signal),
    );
    return refreshed === "ended" ? this.#ended() : refreshed;
  }

  /** A lease that ends is replaced whatever the other secrets are. */
  #toRefuse(): ValuesToRefuse {
    const { knowledge } = this.#watch;
    const { ending, digest, watched } = knowledge;
    return {
      ...(ending.length > 0 ? {} : { unlessDigest: digest }),
      ...(mayGoBack(knowledge, performance.now()) ? {} : { notBefore: watched }),
    };
  }

  #pauseMs({ expiresAtMs }: ChangeEvent): number {
    const { debounceMs, splayMs, minIntervalMs } = this.#world.settings.rotation;
    const nowMs = performance.now();
    return rotationPauseMs({
      debounceMs,
      splayMs,
      minIntervalMs,
      sinceLastMs: nowMs - this.#rotatedAtMs,
      failures: this.#failedRotations,
      expiresInMs: expiresAtMs - nowMs,
      random: Math.random(),
    });
  }

  /** Does something that the program's end makes pointless. */
  async #untilEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | "ended"> {
    const controller = new AbortController();
    const ended = this.#program.child.ended.then(() => "ended" as const);
    try {
      return await Promise.race([work(controller.signal), ended]);
    } finally {
      controller.abort();
    }
  }

  async #ended(): Promise<Extract<RunOutcome, { readonly kind: "ended" }>> {
    return { kind: "ended", ending: await this.#program.child.ended, program: this.#program };
  }

  #say(failures: readonly Failure[]): void {
    for (const { code, message, hint } of failures) {
      this.#world.log.error(`the program keeps its values: ${message}`, { code, hint });
    }
  }

  #note(result: "completed" | "failed"): void {
    const { mode } = this.#world.settings.rotation;
    if (mode === "none") return;
    const restarted = result === "completed" && mode === "restart" ? 1 : 0;
    this.#world.status.note(({ rotations, applicationRestarts }) => ({
      rotations: {
        ...rotations,
        [mode]: { ...rotations[mode], [result]: rotations[mode][result] + 1 },
      },
      applicationRestarts: {
        ...applicationRestarts,
        rotation: applicationRestarts.rotation + restarted,
      },
    }));
  }
}

function moment() {
  return { nowMs: performance.now(), random: Math.random() };
}

/** A lease's time began with the fetch, not with the program. */
function learnedWith({ secrets, fetchedAtMs }: Program): Knowledge {
  return learn(secrets, { nowMs: fetchedAtMs, random: Math.random() });
}
