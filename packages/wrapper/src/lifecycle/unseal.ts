import { closeDescriptor } from "@svc/kernel";
import { type Failure, failure, failuresOf, WrapperError } from "../errors.ts";
import { renderMetrics } from "../health/metrics.ts";
import { degradeMemory } from "./degrade-memory.ts";
import { sleep } from "./sleep.ts";
import type { Phase } from "./status.ts";
import type { World } from "./world.ts";

const PAUSE_MS = 1000;
const PUBLISH_INTERVAL_MS = 5000;

/**
 * Sealed mode: a gatekeeper serves the health port until somebody brings a token that works.
 * Resolves with the port free again, or when the signal aborts.
 *
 * @throws WrapperError `MEMORY_LOCK_LIMIT` where no token could be kept.
 */
export async function unseal(world: World, signal: AbortSignal): Promise<void> {
  const { health, log, session, status } = world;
  health.close();
  status.enter(sealedPhase(status.applicationRunning));
  session.giveTokenUp();
  while (!session.hasToken && !signal.aborted) {
    const failures = await serve(world, signal).catch(failuresOf);
    if (degradeMemory(world, failures)) continue;
    const [hopeless] = failures.filter(({ code }) => code === "MEMORY_LOCK_LIMIT");
    if (hopeless !== undefined) throw new WrapperError([hopeless]);
    const said = signal.aborted ? [] : failures;
    for (const { code, message, hint } of said) log.error(message, { code, hint });
    if (!session.hasToken) await sleep(PAUSE_MS, signal);
  }
  if (session.hasToken) log.info("unsealed");
}

/** A program that runs on is as good as in an outage: SVC_STALE_AFTER says for how long. */
function sealedPhase(applicationRuns: boolean): Phase {
  return applicationRuns
    ? { kind: "running", sealed: true }
    : { kind: "sealed", reason: "POST /v1/unseal has to bring a token" };
}

/** One gatekeeper's life. It ends after its last answer: nothing is lost when the port changes hands. */
async function serve(world: World, signal: AbortSignal): Promise<readonly Failure[]> {
  const { couriers, children, session, status } = world;
  const { courier, messages, region } = await couriers.errand({ kind: "gatekeep" });
  const publish = () =>
    courier.statusPage.write({
      readiness: status.readiness(),
      metrics: renderMetrics(status.facts()),
    });
  publish();
  const timer = setInterval(publish, PUBLISH_INTERVAL_MS);
  const ended = children.follow(courier.pid);
  const failures: Failure[] = [];
  const abandon = () => courier.abandon();
  signal.addEventListener("abort", abandon);
  try {
    for await (const message of messages) {
      if (message.kind === "unseal attempt") {
        status.noteUnseal(message.result);
        publish();
      }
      if (message.kind === "failed") failures.push(...message.failures);
    }
    const { exitCode } = await ended;
    if (failures.length === 0 && !session.hasToken) {
      failures.push(failure("INTERNAL", `the gatekeeper has ended with ${exitCode}`));
    }
    return failures;
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abandon);
    courier.dispose();
    closeDescriptor(region.fd);
  }
}
