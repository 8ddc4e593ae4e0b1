import type { HintedSecret } from "@svc/protocol";
import type { TakeHint } from "../health/hint-page.ts";
import { hintedSecrets } from "../life/hints.ts";
import type { Life, LifeEvent } from "../life/life.ts";
import { longestErrandMs } from "../life/longest-stage.ts";
import type { Logger } from "../log.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";
import { HintSubscription, type SubscriptionOutcome } from "./hint-subscription.ts";

/** The parts of the supervisor that hints come by. */
export interface HintPorts extends ErrandPorts {
  readonly settings: WrapperSettings;
  readonly log: Logger;
  /** The port at which the supervisor listens; undefined while it does not. */
  readonly port: () => number | undefined;
  readonly dispatch: (event: LifeEvent) => void;
}

/** The operator's hints. */
export interface Hints {
  /** Subscribes to hints about the secrets of the program that runs. */
  readonly follow: (life: Life) => void;
  readonly take: TakeHint;
}

/** Hints if the settings ask for them, and the wrapper checks at all. */
export function followHints(ports: HintPorts): Hints | undefined {
  const { settings, log, dispatch } = ports;
  const { hints, renewalIntervalMs } = settings.rotation;
  if (hints === undefined || rotationOf(settings).way === undefined) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const subscription = new HintSubscription({
    log,
    intervals: { renewalMs: renewalIntervalMs, hintedMs: hints.intervalMs },
    ask: (key, secrets) => subscribe(ports, key, secrets),
    tell: (hint) => dispatch({ kind: "hint", hint }),
    wake: (ms, callback) => {
      clearTimeout(timer);
      timer = setTimeout(callback, ms);
    },
    nowMs: () => performance.now(),
    random: () => Math.random(),
  });
  return {
    follow: ({ stage, knowledge }) => {
      const runs = stage.kind === "running" && knowledge !== undefined;
      subscription.follow(hintedSecrets(runs ? knowledge : { watched: [] }));
    },
    take: (value) => subscription.take(value),
  };
}

/** Has a courier subscribe: it alone holds the pod's token. */
function subscribe(
  ports: HintPorts,
  key: string,
  secrets: readonly HintedSecret[],
): Promise<SubscriptionOutcome> | undefined {
  const port = ports.port();
  if (port === undefined) return undefined;
  const timeoutMs = longestErrandMs(ports.settings);
  const job = { kind: "subscribe", port, key, secrets } as const;
  return runErrand(ports, job, ["subscribed"], { timeoutMs }).then((outcome) =>
    outcome.kind === "done"
      ? { kind: "answered", answer: outcome.message.answer }
      : { kind: "unanswered", failures: outcome.failures },
  );
}
