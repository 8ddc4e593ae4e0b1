import { type ChildChange, nextChildChange, type TraceeStop } from "@svc/kernel";
import type { Ending } from "../program/ending.ts";
import type { Tracer } from "../tracer/tracer.ts";

/** Facts about a live child. */
export interface Following {
  readonly tracer?: Tracer;
  /** Job control has stopped it. */
  readonly onStopped?: () => void;
}

/** Then timers, probes and signals have their turn: orphans may end faster than they are reaped. */
const MOST_AT_ONCE = 64;

/** Waits for every child of this process, orphans included, in one place. */
export class Children {
  readonly #followed = new Map<number, Followed>();
  readonly #tracers: Tracer[] = [];
  #goesOn = false;

  /** Resolves when the child ends. */
  follow(pid: number, following: Following = {}): Promise<Ending> {
    const ended = Promise.withResolvers<Ending>();
    this.#followed.set(pid, { following, end: ended.resolve });
    if (following.tracer !== undefined) this.#tracers.push(following.tracer);
    return ended.promise;
  }

  /** Whether the supervisor waits for this child's end: a courier, or the program. */
  isFollowed(pid: number): boolean {
    return this.#followed.has(pid);
  }

  /** To be called once a tracer has released all that it traced. */
  forget(tracer: Tracer): void {
    const index = this.#tracers.indexOf(tracer);
    if (index >= 0) this.#tracers.splice(index, 1);
  }

  /** Takes every change there is, a number of them in each turn; to be called on SIGCHLD. */
  reap(): void {
    for (let taken = 0; taken < MOST_AT_ONCE; taken += 1) {
      const change = nextChildChange();
      if (change === undefined) return;
      if (change.kind === "traced") this.#onTraced(change);
      else this.#onChild(change);
    }
    this.#goOn();
  }

  #goOn(): void {
    if (this.#goesOn) return;
    this.#goesOn = true;
    setTimeout(() => {
      this.#goesOn = false;
      this.reap();
    }, 0);
  }

  #onTraced(stop: TraceeStop): void {
    // A launcher starts children whose own stop may come before they are announced. There is one
    // such program at a time: a courier that waits for the old one's end starts nothing.
    const tracer =
      this.#tracers.find((candidate) => candidate.knows(stop.pid)) ??
      this.#tracers.find((candidate) => candidate.follows);
    const outcome = tracer?.onStop(stop);
    if (outcome === "stopped by job control") {
      this.#followed.get(stop.pid)?.following.onStopped?.();
    }
  }

  #onChild(change: Exclude<ChildChange, TraceeStop>): void {
    const followed = this.#followed.get(change.pid);
    switch (change.kind) {
      case "exited":
        this.#onEnd(change.pid, { exitCode: change.code });
        break;
      case "killed":
        this.#onEnd(change.pid, { exitCode: 128 + change.signal, signal: change.signal });
        break;
      case "stopped":
        followed?.following.onStopped?.();
        break;
      case "continued":
        break;
    }
  }

  #onEnd(pid: number, ending: Ending): void {
    for (const tracer of this.#tracers) tracer.onEnd(pid);
    this.#followed.get(pid)?.end(ending);
    this.#followed.delete(pid);
  }
}

interface Followed {
  readonly following: Following;
  readonly end: (ending: Ending) => void;
}
