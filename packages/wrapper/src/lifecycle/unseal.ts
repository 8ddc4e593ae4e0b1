import { closeDescriptor } from "@svc/kernel";
import { failuresOf } from "../errors.ts";
import { renderMetrics } from "../health/metrics.ts";
import { sleep } from "./sleep.ts";
import type { World } from "./world.ts";

const PAUSE_MS = 1000;
const METRICS_INTERVAL_MS = 5000;

/**
 * Sealed mode: a gatekeeper serves the health port until somebody brings a token that works.
 * Resolves with the port free again, or when the signal aborts.
 */
export async function unseal(world: World, signal: AbortSignal): Promise<void> {
  const { health, log, session, status } = world;
  health.close();
  status.enter({ kind: "sealed", reason: "POST /v1/unseal has to bring a token" });
  session.giveTokenUp();
  while (!session.hasToken && !signal.aborted) {
    await serve(world, signal).catch((error) => {
      for (const { code, message } of failuresOf(error)) log.error(message, { code });
    });
    if (!session.hasToken) await sleep(PAUSE_MS, signal);
  }
  if (session.hasToken) log.info("unsealed");
}

/** One gatekeeper's life. It ends after its last answer: nothing is lost when the port changes hands. */
async function serve(world: World, signal: AbortSignal): Promise<void> {
  const { couriers, children, log, status } = world;
  const { courier, messages, region } = couriers.errand({ kind: "gatekeep" });
  const publish = () => courier.statusPage.write(renderMetrics(status.facts()));
  publish();
  const timer = setInterval(publish, METRICS_INTERVAL_MS);
  const ended = children.follow(courier.pid);
  const abandon = () => courier.abandon();
  signal.addEventListener("abort", abandon);
  try {
    for await (const message of messages) {
      if (message.kind === "unseal attempt") {
        status.noteUnseal(message.result);
        publish();
      }
      if (message.kind !== "failed") continue;
      for (const { code, message: text } of message.failures) log.error(text, { code });
    }
    await ended;
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abandon);
    courier.dispose();
    closeDescriptor(region.fd);
  }
}
