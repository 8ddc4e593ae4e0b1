import type { Log } from "@svc/logging";
import type { Registry } from "../registration/registry.ts";
import { type SwapFacts, SwapKeeper } from "../swap/swap-keeper.ts";

/** A process may have changed a control group, or moved a program to another one. */
const INTERVAL_MS = 60_000;

/** How registered programs are kept out of swap. */
export interface KeptOut {
  readonly facts: () => SwapFacts;
  readonly stop: () => void;
}

export interface KeepOutOptions {
  /** KEEP_OUT_OF_SWAP. */
  readonly keepsOut: boolean;
  readonly registry: Pick<Registry, "onChange" | "processes">;
  readonly log: Log;
}

/** Looks at programs when they are registered, and at all of them every minute. */
export function keepOutOfSwap({ keepsOut, registry, log }: KeepOutOptions): KeptOut {
  const keeper = new SwapKeeper(keepsOut);
  const check = (which: "new" | "all"): void => {
    const found = keeper.check(registry.processes(), which);
    const { spaces } = keeper.facts();
    // It is in /status all the same: swap space may be added at any time.
    if (spaces.length === 0) return;
    for (const program of found) {
      log("warn", "a registered program may be swapped", { ...program, spaces });
    }
  };
  let waiting: ReturnType<typeof setImmediate> | undefined;
  const stopListening = registry.onChange(() => {
    waiting ??= setImmediate(() => {
      waiting = undefined;
      check("new");
    });
  });
  const timer = setInterval(() => check("all"), INTERVAL_MS);
  return {
    facts: () => keeper.facts(),
    stop: () => {
      stopListening();
      clearInterval(timer);
      clearImmediate(waiting);
    },
  };
}
