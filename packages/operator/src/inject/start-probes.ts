import type { Container, Probe } from "../pod/pod.ts";
import { ONCE_READY } from "./exec-probes.ts";
import { isAskedFromInside } from "./health-endpoints.ts";
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
 * liveness probe would end the wrapper that waits. A command in the container asks the wrapper if the
 * pod has no startup probe. If it has one the kubelet goes on asking that, and it gets the wrapper's time
 * on top.
 */
export function startProbes(container: Container, wanted: StartRequest): StartProbes {
  const { role, isSealed } = wanted;
  if (role === "init") {
    const waits = "waits for a token before the pod goes on: init containers have no probes";
    return { ...none, warnings: isSealed ? [`container ${container.name}: ${waits}`] : [] };
  }
  // A probe would end the container while it waits for its turn, and no client asks for it.
  if (wanted.startsLate) return none;
  const own = container.startupProbe ?? undefined;
  const started =
    own === undefined ? gated(container, wanted) : ownStartupProbe(container, wanted, own);
  const needsReadiness = isSealed && (container.readinessProbe ?? undefined) === undefined;
  const isAsked = needsReadiness && isAskedFromInside(container, wanted.endpoint);
  const readiness = isAsked ? { readinessProbe: readyProbe(wanted) } : {};
  return { ...started, probes: { ...started.probes, ...readiness } };
}

function gated(container: Container, wanted: StartRequest): StartProbes {
  if (isAskedFromInside(container, wanted.endpoint)) {
    const periodSeconds = periodOf(wanted);
    const failureThreshold = failuresWithin(wanted.waitSeconds, periodSeconds);
    return { ...none, probes: { startupProbe: { ...readyProbe(wanted), failureThreshold } } };
  }
  if (needsNoAnswer(container, wanted)) return none;
  const problem = unheard(container, wanted, {
    wanted: "given a health port that its startupProbe can ask, or its own startupProbe",
    otherwise: "it would be ready before its program runs",
  });
  return { ...none, problems: [problem] };
}

function readyProbe(wanted: StartRequest): Probe {
  const exec = { command: ONCE_READY };
  return { exec, periodSeconds: periodOf(wanted), timeoutSeconds: TIMEOUT_SECONDS };
}

function periodOf({ isSealed }: StartRequest): number {
  return isSealed ? SEALED_PERIOD_SECONDS : PERIOD_SECONDS;
}
