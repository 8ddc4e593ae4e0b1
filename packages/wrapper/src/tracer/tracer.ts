import {
  environmentStart,
  leaveStopped,
  releaseTracee,
  resumeToSystemCall,
  resumeTracee,
  SIGSTOP,
  SIGTRAP,
  setTraceScope,
  startedProcess,
  systemCallStop,
  type TraceeStop,
  traceEvent,
} from "@svc/kernel";
import type { InjectionPlan } from "../delivery-plan.ts";
import { type Failure, failure } from "../errors.ts";
import { tracingWithholdsPrivileges } from "../program/privileges.ts";
import { Follower } from "./follower.ts";
import type { Listening } from "./follower-options.ts";
import { killIfPermitted } from "./kill-if-permitted.ts";
import { goOn, type Next, release } from "./next-step.ts";
import { pendingSignal } from "./pending-signal.ts";
import { firstGeneration, placeSecrets } from "./place-secrets.ts";
import type { PlacedGeneration, Placement } from "./placement.ts";
import { Placements, type RepointedProcess } from "./placements.ts";
import { entersPrivilegedProgram } from "./privileged-execve.ts";
import { layoutHere } from "./register-layout.ts";
import { releaseTracees } from "./release-tracees.ts";
import type { AlreadyTraced } from "./stop-threads.ts";
import { isGone, PreparationError, StoppedProgram } from "./stopped-program.ts";
import type { TracerOptions } from "./tracer-options.ts";

// The calls of a shell's child between fork and execve; to examine all of a script's calls would
// slow it down.
const WATCHED_SYSTEM_CALLS = 128;
// SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU
const jobSignals: ReadonlySet<number> = new Set([19, 20, 21, 22]);

/** The outcome of a stop. */
export type StopOutcome = "handled" | "stopped by job control";

/**
 * Puts secrets into a program between its execve and its first instruction, and into the programs
 * that it starts. A process that is traced dies with its tracer.
 */
export class Tracer {
  readonly #options: TracerOptions;
  readonly #layout = layoutHere();
  readonly #traced = new Set<number>();
  /** How many more system calls of a process are looked at. */
  readonly #watched = new Map<number, number>();
  readonly #prepared = Promise.withResolvers<void>();
  readonly #placements = new Placements();
  readonly #closed = Promise.withResolvers<void>();
  /** Threads of running programs that were to stop and have not yet. */
  readonly #unsettled = new Set<number>();
  readonly #alreadyTraced: AlreadyTraced = {
    followed: this.#traced,
    resume: (stop) => void this.onStop(stop),
    unsettled: this.#unsettled,
  };
  #follower: Follower | undefined;
  /** True if new children's first system calls are looked at. */
  #watches = false;
  #failure: Failure | undefined;

  constructor(options: TracerOptions) {
    this.#options = options;
    if (!options.tracing) this.#prepared.resolve();
  }

  /** Resolves once the program runs: it waits for nothing of its tracer's any more. */
  get prepared(): Promise<void> {
    return this.#prepared.promise;
  }

  /** Resolves once nothing is left to follow; at once if nothing is followed by a listener. */
  get closed(): Promise<void> {
    if (this.#follower?.tracesAll !== false) this.#closed.resolve();
    return this.#closed.promise;
  }

  /** Why the program could not be prepared, if it was killed for that. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Whether the process is the courier, or one that was traced before. */
  knows(pid: number): boolean {
    return pid === this.#options.pid || this.#traced.has(pid);
  }

  /** The targets of the variables of the main process; undefined if nothing was put into it. */
  get placement(): Placement | undefined {
    return this.#placements.get(this.#options.pid);
  }

  /**
   * Points the busy processes at the last generation. Returns the earliest that still is pointed
   * at, except for generation 0: if that is not the last, the next one must not be written.
   */
  catchUp(): number {
    return this.#placements.catchUp(this.#alreadyTraced);
  }

  /**
   * Points the variables of every running program at the entries of a new generation, which has
   * been written, and returns the outcome for each process. Calling it again tries again if it
   * was `busy`.
   */
  repoint(next: PlacedGeneration): readonly RepointedProcess[] {
    if (this.#follower !== undefined) this.#follower.current = next;
    return this.#placements.repoint(next, this.#alreadyTraced);
  }

  /** Whether the program's children are prepared as well. */
  get follows(): boolean {
    return this.#follower !== undefined;
  }

  /** How many programs that it has started have plain values. */
  get unprotected(): number {
    return this.#follower?.shortcomings.count ?? 0;
  }

  /** Takes one stop of a traced process and lets the process go on. */
  onStop(stop: TraceeStop): StopOutcome {
    try {
      if (this.#unsettled.delete(stop.pid)) {
        releaseTracee(stop.pid, pendingSignal(stop));
        return "handled";
      }
      this.#onNew(stop.pid);
      const next = this.#decide(stop);
      this.#perform(stop.pid, next);
      return next.kind === "leave stopped" ? "stopped by job control" : "handled";
    } catch (error) {
      // If it was killed meanwhile, its end will be seen.
      if (!isGone(error)) this.#giveUp(stop.pid, error);
      return "handled";
    }
  }

  /** Records the end of a process. */
  onEnd(pid: number): void {
    this.#traced.delete(pid);
    this.#watched.delete(pid);
    this.#unsettled.delete(pid);
    this.#follower?.onEnd(pid);
    this.#placements.set(pid, undefined);
  }

  /** A child is about to execute something, most likely. */
  #onNew(pid: number): void {
    if (this.#traced.has(pid)) return;
    this.#traced.add(pid);
    if (this.#watches) this.#watched.set(pid, WATCHED_SYSTEM_CALLS);
  }

  /** Lets go of everything, for it to live on without its tracer. */
  releaseAll(): void {
    if (this.#follower?.tracesAll !== false) releaseTracees(this.#traced);
  }

  #decide(stop: TraceeStop): Next {
    const { pid, signal, event } = stop;
    if (event !== traceEvent.exec && this.#follower?.awaits(pid) === true) {
      return this.#follower.onStop(stop);
    }
    switch (event) {
      case traceEvent.exec:
        return this.#atExec(pid);
      case 0:
        return this.#atSignal(pid, signal);
      case traceEvent.stop:
        return jobSignals.has(signal) ? { kind: "leave stopped" } : goOn;
      default:
        // A process or a thread, which is traced from its start: known even if its own stop comes
        // late.
        this.#onNew(startedProcess(pid));
        return goOn;
    }
  }

  #atSignal(pid: number, signal: number): Next {
    if (signal === (SIGTRAP | systemCallStop)) return this.#atSystemCall(pid);
    const ofCourier = this.#follower === undefined && signal === SIGSTOP;
    const asked = ofCourier && this.#options.readPlan()?.kind === "release";
    if (!asked) return { kind: "go on", signal };
    this.#prepared.resolve();
    return release;
  }

  #atSystemCall(pid: number): Next {
    const left = (this.#watched.get(pid) ?? 0) - 1;
    this.#watched.set(pid, left);
    if (!entersPrivilegedProgram(pid, this.#layout)) return goOn;
    this.#follower?.shortcomings.note("raises privileges", pid);
    return release;
  }

  #atExec(pid: number): Next {
    this.#watched.delete(pid);
    if (this.#follower !== undefined) return this.#follower.atExec(pid);
    const plan = this.#options.readPlan();
    switch (plan?.kind) {
      // The courier's own start.
      case undefined:
      case "release":
        return goOn;
      case "run":
        this.#tellProgram(pid);
        this.#prepared.resolve();
        return release;
      case "inject":
        this.#prepared.resolve();
        return this.#inject(pid, plan);
    }
  }

  #inject(pid: number, plan: InjectionPlan): Next {
    const program = StoppedProgram.atExecEvent(pid, this.#layout);
    if (program === undefined) throw new PreparationError("it is for another architecture");
    this.#placements.set(pid, placeSecrets(program, plan));
    program.restore();
    this.#tellProgram(pid);
    switch (plan.follow) {
      case "off":
        return release;
      case "notify":
        // A filter has no_new_privs, or tracers that may withhold nothing.
        this.#follow(plan, this.#listening());
        return release;
      case "trace":
        this.#follow(plan, undefined, tracingWithholdsPrivileges());
        setTraceScope(pid, "exec and children");
        return goOn;
    }
  }

  #follow(plan: InjectionPlan, listening?: Listening, withholdsPrivileges = false): void {
    this.#watches = withholdsPrivileges;
    this.#follower = new Follower({
      pid: this.#options.pid,
      region: plan.region,
      first: firstGeneration(plan),
      listening,
      withholdsPrivileges,
      traced: this.#traced,
      placements: this.#placements,
      log: this.#options.log,
      onStop: (stop) => void this.onStop(stop),
      reap: this.#options.reap,
      onProgram: (pid, isPrepared) => this.#tellProgram(pid, isPrepared),
      onUnprotected: () => this.#options.onUnprotected?.(),
      onClosed: () => this.#closed.resolve(),
    });
  }

  #listening(): Listening {
    const fd = this.#options.takeListener();
    if (fd === undefined) throw new PreparationError("the courier has sent no listener");
    const { regionFd, watchReadable } = this.#options;
    return { fd, regionFd, watchReadable };
  }

  /** It stands still here: a moment later it may have executed something else. */
  #tellProgram(pid: number, isPrepared = true): void {
    if (pid !== this.#options.pid) return;
    this.#options.onProgram?.(isPrepared ? environmentStart(pid) : 0n);
  }

  #perform(pid: number, next: Next): void {
    switch (next.kind) {
      case "release":
        this.#traced.delete(pid);
        releaseTracee(pid, next.signal);
        break;
      case "leave stopped":
        leaveStopped(pid);
        break;
      case "go on":
        if ((this.#watched.get(pid) ?? 0) > 0) resumeToSystemCall(pid, next.signal);
        else resumeTracee(pid, next.signal);
        break;
    }
  }

  /** A program that is half prepared must not run. */
  #giveUp(pid: number, error: unknown): void {
    const detail = error instanceof Error ? error.message : typeof error;
    const message = `put the secrets into the program: ${detail}`;
    const end = killIfPermitted(pid) ? "killed it" : "it may not be killed, and stands still";
    if (pid === this.#options.pid) this.#failure = failure("DELIVERY_FAILED", message);
    else this.#options.log.error(`${message}: ${end}`, { pid });
  }
}
