import { parseListenAddress } from "@svc/settings";
import type { Container, Pod, Probe } from "../pod/pod.ts";
import type { Target } from "./choose-containers.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** Where the health server of a wrapper listens. */
export type HealthDoor =
  | { readonly kind: "port"; readonly port: number }
  /** On the loopback, any port: nobody outside can ask. */
  | { readonly kind: "loopback" }
  /** As the container's own HEALTH_ADDR says; the port where that tells it. */
  | { readonly kind: "own"; readonly port?: number };

/** The wrapper's own default, which is not written down. */
export const DEFAULT_PORT = 8199;
const MOST = 65_535;

/** What decides the ports of a pod's wrappers. */
export interface DoorWish {
  readonly pod: Pod;
  readonly targets: readonly Target[];
  /** Containers that have a wrapper already. */
  readonly done: readonly string[];
  readonly first: number;
  /** True where the annotation says the port. */
  readonly isAsked: boolean;
}

/**
 * A door for each target, by name. The containers of a pod share one network: each wrapper gets the next port that no
 * container names. On the node's own network a port is the whole node's, so none is taken unless one is asked for.
 */
export function healthDoors(wish: DoorWish): ReadonlyMap<string, HealthDoor> {
  const { pod, targets } = wish;
  const everyone = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const taken = new Set(everyone.flatMap((container) => portsOf(container, wish.done)));
  const doors = new Map<string, HealthDoor>();
  for (const { container } of targets) {
    if (setsVariable(container, "HEALTH_ADDR")) {
      const port = ownPort(container);
      doors.set(container.name, { kind: "own", ...(port !== undefined && { port }) });
    } else if (pod.spec.hostNetwork === true && !wish.isAsked) {
      doors.set(container.name, { kind: "loopback" });
    } else {
      let port = wish.first;
      while (taken.has(port) && port < MOST) port += 1;
      taken.add(port);
      doors.set(container.name, { kind: "port", port });
    }
  }
  return doors;
}

function portsOf(container: Container, done: readonly string[]): readonly number[] {
  const { readinessProbe, livenessProbe, startupProbe, lifecycle } = container;
  const actions = [
    ...[readinessProbe, livenessProbe, startupProbe],
    ...[lifecycle?.postStart, lifecycle?.preStop],
  ].flatMap((probe) => actionPorts(probe ?? {}));
  const declared = (container.ports ?? []).map(({ containerPort }) => containerPort);
  const isWrapped = done.includes(container.name) || setsVariable(container, "HEALTH_ADDR");
  return [...declared, ...actions, ...(isWrapped ? [ownPort(container) ?? DEFAULT_PORT] : [])];
}

function actionPorts({ httpGet, tcpSocket, grpc }: Probe): readonly number[] {
  return [httpGet, tcpSocket, grpc].flatMap((action) =>
    typeof action?.port === "number" ? [action.port] : [],
  );
}

function ownPort(container: Container): number | undefined {
  const parsed = parseListenAddress(ownText(container, "HEALTH_ADDR") ?? "");
  return parsed.ok && parsed.value.port > 0 ? parsed.value.port : undefined;
}
