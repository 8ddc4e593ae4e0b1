import type { Problem } from "@svc/settings";
import type { Container, Probe } from "../pod/pod.ts";
import type { ContainerRole } from "./choose-containers.ts";
import { problemOf } from "./container-problems.ts";
import type { HealthDoor } from "./health-doors.ts";
import { LONGEST_SECONDS } from "./longest-wait.ts";

/** What decides a container's probes. */
export interface StartWish {
  readonly role: ContainerRole;
  readonly door: HealthDoor;
  readonly isSealed: boolean;
  /** True where the wrapper's server speaks TLS. */
  readonly isTls: boolean;
  /** The longest that the wrapper waits before it starts the program or ends, in seconds. */
  readonly waitSeconds: number;
  /** True where the pod's containers are not started again: a job. */
  readonly runsOnce: boolean;
  /** The full name of the annotation that gives a port. */
  readonly portAnnotation: string;
}

/** The probes that a container with a wrapper gets, and what they cannot mend. */
export interface StartProbes {
  readonly probes: Partial<Pick<Container, "readinessProbe" | "startupProbe">>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Short, because a container is ready one period late; the kubelet tells of 25 failures at once.
 */
const PERIOD_SECONDS = 2;
/** A sealed wrapper may wait for days. */
const SEALED_PERIOD_SECONDS = 5;
/** A wrapper that shares a slow processor takes longer than the kubelet's second. */
const TIMEOUT_SECONDS = 5;
/** What the kubelet does where a probe does not say it. */
const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_THRESHOLD = 3;

/**
 * Until the program runs the container must not count as started: it would be ready, and its
 * liveness probe would end the wrapper that waits. The wrapper's own answer says so where the pod
 * has no startup probe. Where it has one the kubelet goes on asking that: it cannot succeed before
 * the program answers, and gets the wrapper's time on top of its own.
 */
export function startProbes(container: Container, wish: StartWish): StartProbes {
  const { role, isSealed } = wish;
  if (role === "init") {
    const waits = "waits for a token before the pod goes on: init containers have no probes";
    return { ...none, warnings: isSealed ? [`container ${container.name}: ${waits}`] : [] };
  }
  const own = container.startupProbe ?? undefined;
  const httpGet = readyAction(wish);
  const started =
    own === undefined ? gated(container, wish, httpGet) : widened(container, wish, own);
  const needsReadiness = isSealed && (container.readinessProbe ?? undefined) === undefined;
  const readiness =
    needsReadiness && httpGet !== undefined
      ? { readinessProbe: { httpGet, periodSeconds: SEALED_PERIOD_SECONDS } }
      : {};
  return { ...started, probes: { ...started.probes, ...readiness } };
}

const none: StartProbes = { probes: {}, problems: [], warnings: [] };

/** GET /readyz of the wrapper; undefined where the kubelet does not reach it. */
function readyAction({ door, isTls }: StartWish): Probe["httpGet"] | undefined {
  const port = door.kind === "loopback" ? undefined : door.port;
  if (port === undefined) return undefined;
  const host = door.kind === "own" ? door.host : undefined;
  return {
    path: "/readyz",
    port,
    ...(host !== undefined && { host }),
    ...(isTls && { scheme: "HTTPS" }),
  };
}

function gated(
  container: Container,
  { isSealed, waitSeconds, ...wish }: StartWish,
  httpGet: Probe["httpGet"] | undefined,
): StartProbes {
  const periodSeconds = isSealed ? SEALED_PERIOD_SECONDS : PERIOD_SECONDS;
  if (httpGet !== undefined) {
    const failureThreshold = failuresOf(waitSeconds, periodSeconds);
    const timeoutSeconds = TIMEOUT_SECONDS;
    const startupProbe = { httpGet, periodSeconds, timeoutSeconds, failureThreshold };
    return { ...none, probes: { startupProbe } };
  }
  const isKilled = (container.livenessProbe ?? undefined) !== undefined;
  // A sealed one without a port is refused for want of it already.
  const isRefused = isSealed && wish.door.kind === "loopback";
  return isRefused || (wish.runsOnce && !isKilled)
    ? none
    : { ...none, problems: [unheard(container, wish)] };
}

function unheard(
  container: Container,
  { door, portAnnotation }: Pick<StartWish, "door" | "portAnnotation">,
): Problem {
  const isOwn = door.kind === "own";
  const how = isOwn ? "leave HEALTH_ADDR out or give it a port" : `set ${portAnnotation}`;
  return problemOf(container, {
    wanted: "given a health port that the kubelet reaches, or a startupProbe of its own",
    found: isOwn ? "its HEALTH_ADDR tells none" : "the pod is on the node's network",
    hint: `${how}: without one it would be ready before its program runs`,
  });
}

function widened(
  { name }: Container,
  { isSealed, waitSeconds }: StartWish,
  own: Probe,
): StartProbes {
  const period = own.periodSeconds ?? DEFAULT_PERIOD_SECONDS;
  const failures = (own.failureThreshold ?? DEFAULT_THRESHOLD) + failuresOf(waitSeconds, period);
  const failureThreshold = Math.min(failures, LONGEST_SECONDS);
  const warnings = [
    ...(isSealed
      ? [
          `container ${name}: its startupProbe waits for ever, because a sealed wrapper may: it ends no program that hangs`,
        ]
      : []),
    ...((own.exec ?? undefined) === undefined
      ? []
      : [`container ${name}: the command of its startupProbe must fail until the program runs`]),
  ];
  return { ...none, probes: { startupProbe: { ...own, failureThreshold } }, warnings };
}

function failuresOf(waitSeconds: number, periodSeconds: number): number {
  return Math.min(Math.ceil(waitSeconds / Math.max(periodSeconds, 1)), LONGEST_SECONDS);
}
