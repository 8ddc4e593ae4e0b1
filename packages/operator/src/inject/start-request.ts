import type { Problem } from "@svc/settings";
import type { Container } from "../pod/pod.ts";
import type { ContainerRole } from "./choose-containers.ts";
import { problemOf } from "./container-problems.ts";
import type { HealthEndpoint } from "./health-endpoints.ts";

/** The inputs for a container's probes. */
export interface StartRequest {
  readonly role: ContainerRole;
  readonly endpoint: HealthEndpoint;
  readonly isSealed: boolean;
  /** True if a launcher starts the wrapper only after other containers have ended. */
  readonly startsLate: boolean;
  /** The longest that the wrapper waits before it starts the program or ends, in seconds. */
  readonly waitSeconds: number;
  /** True if the pod's containers are not started again: a job. */
  readonly runsOnce: boolean;
  /** The full name of the annotation that gives a port. */
  readonly portAnnotation: string;
}

/** The probes that a container with a wrapper gets, and the problems that they cannot repair. */
export interface StartProbes {
  readonly probes: Partial<Pick<Container, "readinessProbe" | "startupProbe">>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Nothing to add and nothing to say. */
export const none: StartProbes = { probes: {}, problems: [], warnings: [] };

/** A command on a slow processor that many share takes longer than the kubelet's second. */
export const TIMEOUT_SECONDS = 5;

/**
 * True if a pod may have a wrapper that reports nothing. A job without a liveness probe needs no
 * readiness, and no probe ends it. A sealed one without a port is refused already.
 */
export function needsNoAnswer(
  { livenessProbe }: Container,
  { isSealed, endpoint, runsOnce }: Pick<StartRequest, "isSealed" | "endpoint" | "runsOnce">,
): boolean {
  const isKilled = (livenessProbe ?? undefined) !== undefined;
  return (isSealed && endpoint.kind === "loopback") || (runsOnce && !isKilled);
}

/** Why a container is refused whose wrapper tells nothing if it has to be heard. */
export function unheard(
  container: Container,
  { endpoint, portAnnotation }: Pick<StartRequest, "endpoint" | "portAnnotation">,
  { wanted, otherwise }: { readonly wanted: string; readonly otherwise: string },
): Problem {
  const isOwn = endpoint.kind === "own";
  const how = isOwn ? "leave HEALTH_ADDR out or give it a port" : `set ${portAnnotation}`;
  return problemOf(container, {
    wanted,
    found: isOwn ? "its HEALTH_ADDR tells none" : "the pod is on the node's network",
    hint: `${how}: without one ${otherwise}`,
  });
}
