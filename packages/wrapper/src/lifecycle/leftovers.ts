import {
  ownChildren,
  ownDescendants,
  SIGCONT,
  SIGKILL,
  SIGTERM,
  SyscallError,
  sendSignal,
} from "@svc/kernel";
import { sleep } from "@svc/vault";
import type { Logger } from "../log.ts";
import type { Children } from "../processes/children.ts";

const FIRST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 200;
/** A process that is killed may be in an uninterruptible sleep: it is not waited for any longer. */
const KILL_PATIENCE_MS = 2000;

/**
 * The processes that a program has left running when it ended: they hold its secrets. The wrapper
 * is their parent now (PR_SET_CHILD_SUBREAPER), or that of a process between, in any group or
 * session. A /proc of an outer PID namespace shows them by other numbers (docs/decisions/0112).
 */
export class Leftovers {
  readonly #children: Children;
  readonly #log: Logger;
  /** Were there before the wrapper was: `sh -c 'sidecar & exec svc-wrapper …'`. */
  readonly #strangers: ReadonlySet<number>;

  constructor(children: Children, log: Logger, strangers: readonly number[]) {
    this.#children = children;
    this.#log = log;
    this.#strangers = new Set(strangers);
  }

  /** Kills them at once: they would hold the port of the program's successor. */
  kill(): void {
    try {
      for (const pid of this.#find()) signalIfAllowed(pid, SIGKILL);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      this.#log.warn(`processes of the program could not be looked for: ${error.message}`);
    }
  }

  /** SIGTERM, and SIGKILL for those that are left after the grace, or once the signal aborts. */
  async end(graceMs: number, hurry: AbortSignal): Promise<void> {
    const found = this.#find();
    if (found.length === 0) return;
    this.#log.info("the program has left processes running: they are ended", {
      processes: found.length,
    });
    // One that job control has stopped would not hear of it.
    for (const pid of found) for (const signal of [SIGTERM, SIGCONT]) signalIfAllowed(pid, signal);
    await this.#untilGone(graceMs, hurry);
    const left = this.#find();
    if (left.length === 0) return;
    this.#log.warn("processes of the program ignored SIGTERM: sent SIGKILL", {
      processes: left.length,
    });
    this.kill();
    await this.#untilGone(KILL_PATIENCE_MS, never, () => this.kill());
  }

  /** @param again for processes that they start in the meantime. */
  async #untilGone(limitMs: number, hurry: AbortSignal, again?: () => void): Promise<void> {
    const endMs = performance.now() + limitMs;
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#find().length > 0 && performance.now() < endMs && !hurry.aborted) {
      await sleep(Math.min(pauseMs, endMs - performance.now()), hurry);
      pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS);
      again?.();
    }
  }

  #find(): readonly number[] {
    const isKept = (pid: number) => this.#strangers.has(pid) || this.#children.isFollowed(pid);
    // As a rule nothing is left: one small file says so, and /proc need not be searched.
    if (ownChildren()?.every(isKept) === true) return [];
    return ownDescendants(isKept);
  }
}

/** A set-user-ID program may belong to another user. */
function signalIfAllowed(pid: number, signal: number): void {
  try {
    sendSignal(pid, signal);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
  }
}

const never = new AbortController().signal;
