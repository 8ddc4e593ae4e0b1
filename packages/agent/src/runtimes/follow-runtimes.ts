import type { Log } from "@svc/logging";
import { type ContainerRuntimes, findRuntimes, type Machine } from "./find-runtimes.ts";

export interface FollowRuntimesOptions {
  readonly paths: readonly string[];
  readonly machine: Machine;
  readonly log: Log;
  /** Called with the first ones, and again whenever they change. */
  readonly onChange: (runtimes: ContainerRuntimes) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** By default a minute. */
  readonly intervalMs?: number;
}

// As long as a runtime that was replaced is a stranger: an upgrade that was not heard of.
const INTERVAL_MS = 60_000;

/**
 * Looks for container runtimes at once and every minute: packages are upgraded, and put another
 * file in the place of theirs.
 */
export function followRuntimes(options: FollowRuntimesOptions): void {
  const { signal, intervalMs = INTERVAL_MS } = options;
  if (signal.aborted) return;
  const follower = new Follower(options);
  follower.look();
  const timer = setInterval(() => follower.look(), intervalMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

class Follower {
  readonly #options: FollowRuntimesOptions;
  #known = "";
  #hasWarned = false;

  constructor(options: FollowRuntimesOptions) {
    this.#options = options;
  }

  look(): void {
    const { paths, machine, log } = this.#options;
    try {
      this.#compare(findRuntimes(paths, machine));
      this.#hasWarned = false;
    } catch (error) {
      // Those that were found before stay.
      const reason = error instanceof Error ? error.message : typeof error;
      if (!this.#hasWarned) log("warn", `look for container runtimes: ${reason}`, {});
      this.#hasWarned = true;
    }
  }

  #compare(runtimes: ContainerRuntimes): void {
    const text = textOf(runtimes);
    if (text === this.#known) return;
    this.#options.onChange(runtimes);
    this.#known = text;
    this.#options.log("info", "container runtimes may enter the namespaces of programs", {
      executables: runtimes.executables.length,
    });
  }
}

function textOf({ mountNamespace, executables }: ContainerRuntimes): string {
  const names = executables.map(({ device, inode }) => `${device}:${inode}`);
  return [mountNamespace, ...names].join();
}
