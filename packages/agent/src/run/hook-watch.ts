import type { Log } from "@svc/logging";
import type { Blindness, Monitor } from "../monitor/load-monitor.ts";
import type { Reporter } from "./reporter.ts";

const INTERVAL_MS = 5000;

/**
 * Looks again and again whether the kernel still calls the programs, and reports it when that
 * changes.
 */
export class HookWatch {
  readonly #parts: Parts;
  #areCalled = true;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(parts: Parts, intervalMs = INTERVAL_MS) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), intervalMs);
  }

  areCalled(): boolean {
    return this.#areCalled;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { monitor, reporter, log } = this.#parts;
    if (!("isCalled" in monitor)) return;
    const areCalled = monitor.isCalled();
    if (areCalled === this.#areCalled) return;
    this.#areCalled = areCalled;
    const { tier } = monitor.capabilities;
    reporter.reportOwn(areCalled ? "agent_sees_again" : "agent_blinded", { tier });
    if (areCalled) log("info", "the kernel calls the programs again", { tier });
    else
      log("error", "the kernel does not call the programs any more: nothing is seen or stopped", {
        tier,
        hint: "/proc/sys/kernel/ftrace_enabled and /sys/kernel/debug/kprobes/enabled have to be 1",
      });
  }
}

interface Parts {
  readonly monitor: WatchedMonitor | Blindness;
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
}

type WatchedMonitor = Pick<Monitor, "isCalled" | "capabilities">;
