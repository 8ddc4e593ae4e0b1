import {
  architecture,
  closeDescriptor,
  type ExecPreparer,
  type LeftOver,
  SIGTRAP,
  SyscallError,
  startedProcess,
  type TraceeStop,
} from "@svc/kernel";
import { ExecListener } from "./exec-listener.ts";
import { ExpectedExecs } from "./expected-execs.ts";
import type { FollowerOptions, Listening } from "./follower-options.ts";
import { handToLibrary } from "./hand-to-library.ts";
import { LibraryPrograms } from "./library-programs.ts";
import { goOn, type Next, release } from "./next-step.ts";
import { childSignalsIfPossible, OneGo } from "./one-go.ts";
import { currentIn, currentSlot, pointCopiesAtCurrent } from "./place-copies.ts";
import type { PlacedGeneration } from "./placement.ts";
import { PrepareByItself } from "./prepare-by-itself.ts";
import { prepareCode } from "./prepare-code.ts";
import { type Prepared, Preparing } from "./preparing.ts";
import { executeAgainUntraced } from "./privileged-execve.ts";
import { layoutHere } from "./register-layout.ts";
import { seizeWhateverUser } from "./seize-whatever-user.ts";
import { type Shortcoming, Shortcomings, whyRefused } from "./shortcomings.ts";
import { PreparationError } from "./stopped-program.ts";
import { tracerOf } from "./thread-states.ts";

const code = prepareCode[architecture] ?? new Uint8Array(0);
// SIGILL, SIGBUS, SIGFPE, SIGSEGV
const faults: ReadonlySet<number> = new Set([4, 7, 8, 11]);

/**
 * Puts the secrets into a program's descendants at each execve, before the first
 * instruction: the copies that execve has made are wiped, and the variables lead to the region.
 */
export class Follower {
  readonly shortcomings: Shortcomings;
  readonly #options: FollowerOptions;
  readonly #layout = layoutHere();
  readonly #libraryPrograms = new LibraryPrograms(this.#layout);
  readonly #preparing = new Map<number, Preparing>();
  readonly #expected = new ExpectedExecs();
  readonly #listener: ExecListener | undefined;
  /** Undefined if there is no descriptor left for them: all is left to the event loop then. */
  readonly #childSignals: number | undefined;
  readonly #byItself: PrepareByItself | undefined;
  readonly #preparer: ExecPreparer | undefined;
  readonly #oneGo: OneGo | undefined;
  /** Processes that run the preparing code alone and have not asked for the descriptor yet. */
  readonly #asking = new Set<number>();
  #current: PlacedGeneration;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#current = options.first;
    this.shortcomings = new Shortcomings(options.log, options.onUnprotected);
    const { listening, region } = options;
    this.#childSignals = listening && childSignalsIfPossible();
    // Values that can be replaced are looked for again.
    const isFixed = listening !== undefined && region.slotBytes === undefined;
    if (isFixed) this.#byItself = PrepareByItself.here({ layout: this.#layout, code, region });
    this.#preparer = this.#newPreparer();
    this.#listener = listening && this.#listenWith(listening);
    this.#oneGo = this.#newOneGo();
  }

  #newOneGo(): OneGo | undefined {
    const { listening, onStop, reap, traced } = this.#options;
    const signals = this.#childSignals;
    if (listening === undefined || signals === undefined) return undefined;
    return new OneGo({
      signals,
      listener: listening.fd,
      isTraced: (tid) => traced.has(tid),
      isPreparing: (tid) => this.#preparing.has(tid),
      asks: (tid) => this.#preparing.get(tid)?.asks === true || this.#asking.has(tid),
      takeRequest: (limitMs) => this.#listener?.takeSoon(limitMs),
      onStop,
      reap,
    });
  }

  #newPreparer(): ExecPreparer | undefined {
    const { listening, pid } = this.#options;
    if (listening === undefined || this.#childSignals === undefined) return undefined;
    return this.#byItself?.withoutTurns({
      listener: listening.fd,
      childSignals: this.#childSignals,
      region: listening.regionFd,
      main: pid,
    });
  }

  #listenWith({ fd, regionFd, watchReadable }: Listening): ExecListener {
    return new ExecListener({
      fd,
      watchReadable,
      preparer: this.#preparer,
      onLeftOver: (left) => this.#takeOver(left),
      onExec: (tid) => this.#expect(tid),
      onChangeOfUser: (tid) => this.#seize(tid, "exec and children"),
      onContinued: (tid) => this.#oneGo?.run(tid),
      descriptorFor: (tid) => (this.#asks(tid) ? regionFd : undefined),
      onRefused: (tid, result) => this.shortcomings.note(whyRefused(result), tid),
      onError: (error) => this.#onError(error),
      onClosed: () => {
        if (this.#childSignals !== undefined) closeDescriptor(this.#childSignals);
        this.#options.onClosed();
      },
    });
  }

  /** True if everything that the program starts is traced from its start. */
  get tracesAll(): boolean {
    return this.#listener === undefined;
  }

  /** Whether a stop of this thread is the follower's to take. */
  awaits(tid: number): boolean {
    return this.#preparing.has(tid) || this.#expected.has(tid);
  }

  /** The entries that new programs are pointed at from now on. */
  set current(next: PlacedGeneration) {
    this.#current = next;
  }

  /** Takes a stop of a process that runs the preparing code, or has not executed its program. */
  onStop(stop: TraceeStop): Next {
    const preparing = this.#preparing.get(stop.pid);
    if (preparing !== undefined) return this.#onPreparing(stop, preparing);
    this.#expected.delete(stop.pid);
    // Its execve has failed: it goes on as it was.
    return stop.event === 0 ? { kind: "release", signal: stop.signal } : release;
  }

  /** Takes the stop behind an execve. */
  atExec(pid: number): Next {
    const { placements, withholdsPrivileges } = this.#options;
    this.#expected.delete(pid);
    // It may be another thread's execve although one of the first thread was announced.
    this.#forgetThread(pid, startedProcess(pid));
    placements.set(pid, undefined);
    if (withholdsPrivileges && executeAgainUntraced(pid, this.#layout)) {
      this.#options.onProgram(pid, false);
      return this.#unprotected(pid, "raises privileges");
    }
    const isLibrary = this.#libraryPrograms.executes(pid);
    const begun = this.#begin(pid, isLibrary);
    if (begun === "foreign" || begun === "unreadable") {
      this.#options.onProgram(pid, false);
      return this.#unprotected(pid, begun);
    }
    return begun;
  }

  #begin(pid: number, isLibrary: boolean): Next | "foreign" | "unreadable" {
    // The main process is looked at for its score, and the Go library wants another environment.
    if (!isLibrary && pid !== this.#options.pid) {
      const begun = this.#byItself?.begin(pid) ?? "no room";
      if (begun === "begun") {
        this.#asking.add(pid);
        this.#preparer?.noteOrdinary(pid);
        return release;
      }
      if (begun !== "no room") return begun;
    }
    const begun = Preparing.begin(pid, this.#preparationFor(isLibrary));
    if (begun === "foreign" || begun === "unreadable") return begun;
    this.#preparing.set(pid, begun);
    return goOn;
  }

  onEnd(pid: number): void {
    this.#preparing.get(pid)?.[Symbol.dispose]();
    this.#preparing.delete(pid);
    this.#expected.delete(pid);
    this.#asking.delete(pid);
  }

  #asks(tid: number): boolean {
    return this.#asking.delete(tid) || this.#preparing.get(tid)?.asks === true;
  }

  #preparationFor(isLibrary: boolean) {
    const { region, listening } = this.#options;
    return {
      layout: this.#layout,
      code,
      region,
      slotStart: currentSlot(region, this.#current),
      slotBytes: region.slotBytes ?? region.lengthBytes,
      fd: listening === undefined ? region.fd : undefined,
      isLibrary,
      keepsDescriptor: isLibrary || listening === undefined,
    };
  }

  #onPreparing({ pid, event, signal }: TraceeStop, preparing: Preparing): Next {
    if (event !== 0) return goOn;
    if (signal === SIGTRAP && preparing.isAtEnd()) return this.#finish(pid, preparing);
    // The same instruction would cause it again, and again.
    if (faults.has(signal)) throw new PreparationError(`signal ${signal} while it was prepared`);
    preparing.defer(signal);
    return goOn;
  }

  #finish(pid: number, preparing: Preparing): Next {
    this.#preparing.delete(pid);
    using _ = preparing;
    const prepared = preparing.finish();
    const next = this.#finished(pid, prepared, preparing.isLibrary);
    preparing.sendDeferred();
    return next;
  }

  #finished(pid: number, prepared: Prepared, isLibrary: boolean): Next {
    const { region, listening, onProgram } = this.#options;
    if (prepared.kind === "refused") {
      onProgram(pid, false);
      return this.#unprotected(pid, whyRefused(prepared.result));
    }
    if (prepared.holdsCopy) this.shortcomings.note("copied", pid);
    if (isLibrary) {
      const hasVariable = listening === undefined;
      handToLibrary(pid, prepared, { layout: this.#layout, region, hasVariable });
    } else this.#place(pid, prepared);
    onProgram(pid, true);
    return this.tracesAll ? goOn : release;
  }

  #place(pid: number, prepared: Extract<Prepared, { readonly kind: "prepared" }>): void {
    const { region, first, placements } = this.#options;
    // Only values that can be replaced are looked for again, and the main process's for its score.
    if (region.slotBytes === undefined && pid !== this.#options.pid) return;
    const placement = { ...prepared.slots(), regionAddress: prepared.address, ...this.#current };
    if (region.slotBytes === undefined) {
      placements.set(pid, placement);
      return;
    }
    if (this.#current.generation > 0) pointCopiesAtCurrent(pid, placement, first);
    placements.set(pid, currentIn(pid, placement));
  }

  #expect(tid: number): void {
    // One that was killed before it asked may have had this number.
    this.#asking.delete(tid);
    // A thread that has changed its user stays traced until it has executed a program.
    const isHeld = this.#options.traced.has(tid) && !this.#expected.has(tid);
    if (isHeld || !this.#seize(tid, "exec")) return;
    this.#expected.add(tid);
  }

  #seize(tid: number, scope: "exec" | "exec and children"): boolean {
    const { traced } = this.#options;
    if (traced.has(tid)) return true;
    try {
      seizeWhateverUser(tid, scope);
      traced.add(tid);
      return true;
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      if (error.code === "ESRCH") return false;
      const kind = tracerOf(tid) === 0 ? "not permitted" : "traced by another";
      this.shortcomings.note(kind, tid);
      return false;
    }
  }

  /** Goes on from the last step of the preparer. */
  #takeOver({ expected, asking, stop, hasChange }: LeftOver): void {
    for (const tid of expected) {
      this.#options.traced.add(tid);
      this.#expected.add(tid);
    }
    for (const tid of asking) this.#asking.add(tid);
    if (stop !== undefined) this.#options.onStop(stop);
    if (hasChange) this.#options.reap();
  }

  /** A thread that executes a program takes its leader's number; PTRACE_EVENT_EXEC of ptrace(2). */
  #forgetThread(pid: number, tid: number): void {
    if (tid === pid) return;
    this.#expected.delete(tid);
    this.#options.traced.delete(tid);
  }

  #unprotected(pid: number, kind: Shortcoming): Next {
    this.shortcomings.note(kind, pid);
    return release;
  }

  #onError(error: unknown): void {
    const detail = error instanceof Error ? error.message : typeof error;
    this.#options.log.error(`follow an execve: ${detail}`);
  }
}
