import { parseListenAddress } from "@svc/settings";
import type { Container, Pod, Probe } from "../pod/pod.ts";
import type { Target } from "./choose-containers.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** Where the health server of a wrapper listens. */
export type HealthEndpoint =
  | { readonly kind: "port"; readonly port: number }
  /** On the loopback, any port: no client outside can reach it. */
  | { readonly kind: "loopback" }
  /** As the container's own HEALTH_ADDR says; the port if the kubelet reaches it. */
  | { readonly kind: "own"; readonly port?: number };

/** The wrapper's own default, which is not written down. */
export const DEFAULT_PORT = 8199;
const MOST = 65_535;
/** Ports below are for root. */
const LEAST = 1024;

/** The inputs for the ports of a pod's wrappers. */
export interface EndpointRequest {
  readonly pod: Pod;
  readonly targets: readonly Target[];
  /** The ports that images name, by image. */
  readonly exposed: (image: string) => readonly number[];
  /** Containers that have a wrapper already. */
  readonly done: readonly string[];
  readonly first: number;
  /** True if the annotation says the port. */
  readonly isAsked: boolean;
}

/**
 * An endpoint for each target, by name. The containers of a pod share one network: each wrapper
 * gets the next port that no container and no image names, as far as images were looked up. On the node's own network a port is the whole node's,
 * so none is taken unless one is asked for.
 */
export function healthEndpoints(wanted: EndpointRequest): ReadonlyMap<string, HealthEndpoint> {
  const { pod, targets } = wanted;
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const taken = new Set(containers.flatMap((container) => portsOf(container, wanted)));
  const isOnNode = pod.spec.hostNetwork === true && !wanted.isAsked;
  const endpoints = targets.map(({ container }): readonly [string, HealthEndpoint] => {
    if (setsVariable(container, "HEALTH_ADDR")) {
      return [container.name, ownEndpoint(container, pod.spec.hostNetwork === true)];
    }
    const port = isOnNode ? undefined : takePort(wanted.first, taken);
    return [container.name, port === undefined ? { kind: "loopback" } : { kind: "port", port }];
  });
  return new Map(endpoints);
}

/**
 * True if a command in the container can ask its wrapper: its HEALTH_ADDR names a port, or comes
 * from somewhere that only the node knows.
 */
export function isAskedFromInside(container: Container, { kind }: HealthEndpoint): boolean {
  if (kind !== "own") return kind === "port";
  if (ownText(container, "HEALTH_ADDR") === undefined) return true;
  return (ownAddress(container)?.port ?? 0) !== 0;
}

/** The port at which other machines reach the wrapper of a container; undefined if they do not. */
export function reachedPort(container: Container): number | undefined {
  if (!setsVariable(container, "HEALTH_ADDR")) return DEFAULT_PORT;
  return ownEndpoint(container, false).port;
}

/** Undefined if the pod names every port. */
function takePort(first: number, taken: Set<number>): number | undefined {
  let port = first;
  for (let looked = 0; taken.has(port); looked += 1) {
    if (looked > MOST) return undefined;
    port = port < MOST ? port + 1 : LEAST;
  }
  taken.add(port);
  return port;
}

function ownEndpoint(
  container: Container,
  isOnNode: boolean,
): Extract<HealthEndpoint, { readonly kind: "own" }> {
  const { host, port } = ownAddress(container) ?? { host: "", port: 0 };
  const isReached = port !== 0 && (isOnNode || !isLoopback(host));
  return isReached ? { kind: "own", port } : { kind: "own" };
}

function portsOf(
  container: Container,
  { done, exposed }: Pick<EndpointRequest, "done" | "exposed">,
): readonly number[] {
  const { readinessProbe, livenessProbe, startupProbe, lifecycle } = container;
  const actions = [
    ...[readinessProbe, livenessProbe, startupProbe],
    ...[lifecycle?.postStart, lifecycle?.preStop],
  ].flatMap((probe) => actionPorts(probe ?? {}));
  const declared = (container.ports ?? []).map(({ containerPort }) => containerPort);
  const isWrapped = done.includes(container.name) || setsVariable(container, "HEALTH_ADDR");
  return [
    ...declared,
    ...exposed(container.image ?? ""),
    ...actions,
    ...(isWrapped ? [ownAddress(container)?.port ?? DEFAULT_PORT] : []),
  ];
}

function actionPorts({ httpGet, tcpSocket, grpc }: Probe): readonly number[] {
  return [httpGet, tcpSocket, grpc].flatMap((action) =>
    typeof action?.port === "number" ? [action.port] : [],
  );
}

function ownAddress(container: Container) {
  const parsed = parseListenAddress(ownText(container, "HEALTH_ADDR") ?? "");
  return parsed.ok ? parsed.value : undefined;
}

/** True for the host of an address that only the same machine, or the same pod, reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
