import { closeDescriptor } from "@svc/kernel";
import { failuresOf } from "../errors.ts";
import { sleep } from "./sleep.ts";
import type { World } from "./world.ts";

const PAUSE_MS = 1000;

/**
 * Sealed mode: a gatekeeper serves the health port until somebody brings a token that works.
 * Resolves with the port free again, or when the signal aborts.
 */
export async function unseal(world: World, signal: AbortSignal): Promise<void> {
  const { health, log, session, status } = world;
  const { host, port } = world.settings.health;
  health.close();
  status.enter({ kind: "sealed", reason: "POST /v1/unseal has to bring a token" });
  log.warn("sealed: waiting for a token by POST /v1/unseal", { address: `${host}:${port}` });
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
  const { couriers, children, log } = world;
  const { courier, messages, region } = couriers.errand({ kind: "gatekeep" });
  const ended = children.follow(courier.pid);
  const abandon = () => courier.abandon();
  signal.addEventListener("abort", abandon);
  try {
    for await (const message of messages) {
      if (message.kind !== "failed") continue;
      for (const { code, message: text } of message.failures) log.error(text, { code });
    }
    await ended;
  } finally {
    signal.removeEventListener("abort", abandon);
    courier.dispose();
    closeDescriptor(region.fd);
  }
}
