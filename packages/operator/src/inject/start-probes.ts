import type { Container, Probe } from "../pod/pod.ts";
import { failuresWithin } from "./longest-wait.ts";
import { ownStartupProbe } from "./own-startup-probe.ts";
import {
  needsNoAnswer,
  none,
  type StartProbes,
  type StartRequest,
  TIMEOUT_SECONDS,
  unheard,
} from "./start-request.ts";

/**
 * Short, because a container is ready one period late; the kubelet reports 25 failures at once.
 */
const PERIOD_SECONDS = 2;
/** A sealed wrapper may wait for days. */
const SEALED_PERIOD_SECONDS = 5;

/**
 * Until the program runs the container must not count as started: it would be ready, and its
 * liveness probe would end the wrapper that waits. The wrapper's own answer says so if the pod has
 * no startup probe. If it has one the kubelet goes on asking that, and it gets the wrapper's time
 * on top.
 */
export function startProbes(container: Container, wanted: StartRequest): StartProbes {
  const { role, isSealed } = wanted;
  if (role === "init") {
    const waits = "waits for a token before the pod goes on: init containers have no probes";
    return { ...none, warnings: isSealed ? [`container ${container.name}: ${waits}`] : [] };
  }
  const own = container.startupProbe ?? undefined;
  const httpGet = readyAction(wanted);
  const started =
    own === undefined ? gated(container, wanted, httpGet) : ownStartupProbe(container, wanted, own);
  const needsReadiness = isSealed && (container.readinessProbe ?? undefined) === undefined;
  const readiness =
    needsReadiness && httpGet !== undefined
      ? { readinessProbe: { httpGet, periodSeconds: SEALED_PERIOD_SECONDS } }
      : {};
  return { ...started, probes: { ...started.probes, ...readiness } };
}

/** GET /readyz of the wrapper; undefined if the kubelet does not reach it. */
function readyAction({ endpoint, isTls }: StartRequest): Probe["httpGet"] | undefined {
  const port = endpoint.kind === "loopback" ? undefined : endpoint.port;
  if (port === undefined) return undefined;
  const host = endpoint.kind === "own" ? endpoint.host : undefined;
  return {
    path: "/readyz",
    port,
    ...(host !== undefined && { host }),
    ...(isTls && { scheme: "HTTPS" }),
  };
}

function gated(
  container: Container,
  wanted: StartRequest,
  httpGet: Probe["httpGet"] | undefined,
): StartProbes {
  const periodSeconds = wanted.isSealed ? SEALED_PERIOD_SECONDS : PERIOD_SECONDS;
  if (httpGet !== undefined) {
    const failureThreshold = failuresWithin(wanted.waitSeconds, periodSeconds);
    const timeoutSeconds = TIMEOUT_SECONDS;
    const startupProbe = { httpGet, periodSeconds, timeoutSeconds, failureThreshold };
    return { ...none, probes: { startupProbe } };
  }
  if (needsNoAnswer(container, wanted)) return none;
  const problem = unheard(container, wanted, {
    wanted: "given a health port that the kubelet reaches, or its own startupProbe",
    otherwise: "it would be ready before its program runs",
  });
  return { ...none, problems: [problem] };
}
