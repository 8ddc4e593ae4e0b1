import { closeDescriptor } from "@svc/kernel";
import { type Failure, failuresOf } from "../errors.ts";
import type { StatusView } from "../health/health-answers.ts";
import type { Observation } from "../life/life.ts";
import type { UnsealServerEnd } from "../life/sealed.ts";
import type { ErrandPorts } from "./errand.ts";

const PUBLISH_INTERVAL_MS = 5000;

export interface UnsealPorts extends ErrandPorts {
  readonly view: StatusView;
  readonly observe: (observation: Observation) => void;
}

/**
 * Lets an unseal server serve the health port, which has to be free, until it ends. It ends after
 * its last answer: nothing is lost when the port changes hands.
 */
export async function serveUnseal(
  ports: UnsealPorts,
  signal: AbortSignal,
): Promise<UnsealServerEnd> {
  try {
    return await serve(ports, signal);
  } catch (error) {
    // No descriptors, processes or memory: the next one may find some.
    return { exitCode: 125, failures: failuresOf(error) };
  }
}

async function serve(
  { couriers, children, view, observe }: UnsealPorts,
  signal: AbortSignal,
): Promise<UnsealServerEnd> {
  const { courier, messages, region } = await couriers.errand({ kind: "unseal" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const publish = () => {
    courier.statusPage.write({ readiness: view.readiness(), metrics: view.metrics() });
    clearTimeout(timer);
    timer = setTimeout(publish, msToPublish(view.readinessLastsMs()));
  };
  publish();
  const ended = children.follow(courier.pid);
  const failures: Failure[] = [];
  const abandon = () => courier.abandon();
  signal.addEventListener("abort", abandon);
  if (signal.aborted) abandon();
  try {
    for await (const message of messages) {
      if (message.kind === "unseal attempt") {
        observe({ kind: "unseal attempt", result: message.result });
        publish();
      }
      if (message.kind === "failed") failures.push(...message.failures);
    }
    const { exitCode } = await ended;
    return { exitCode, failures };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abandon);
    courier.dispose();
    closeDescriptor(region.fd);
  }
}

/** The page is new again as soon as readiness is another one, and not only for the metrics. */
function msToPublish(readinessLastsMs = PUBLISH_INTERVAL_MS): number {
  return Math.min(PUBLISH_INTERVAL_MS, Math.max(1, Math.ceil(readinessLastsMs)));
}
