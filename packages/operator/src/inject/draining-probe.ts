import { escapedForExpansion } from "../pod/expansion.ts";
import type { Container, EnvEntry, PortAction, Probe } from "../pod/pod.ts";
import type { ContainerRole } from "./choose-containers.ts";
import { onceServing, runsCommand } from "./exec-probes.ts";
import { type HealthEndpoint, isAskedFromInside } from "./health-endpoints.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { setsVariable } from "./own-variables.ts";

/** The facts that the readiness probe of a container depends on, beside the container. */
export interface DrainRequest {
  readonly role: ContainerRole;
  readonly endpoint: HealthEndpoint;
  readonly settings: InjectionSettings;
  readonly isSealed: boolean;
  /** True if the wrapper's server speaks TLS. */
  readonly isTls: boolean;
  /** True if a mesh's proxy stands in front of the pod's ports. */
  readonly isInMesh: boolean;
}

/** The readiness probe by which a program leaves its Service before it is replaced. */
export interface DrainingProbe {
  readonly probes: Partial<Pick<Container, "readinessProbe">>;
  readonly env: readonly EnvEntry[];
  readonly warnings: readonly string[];
}

/** The wrapper's page, and the variable with the probe that it took the place of. */
const [PROGRAM_PATH, PROBE] = ["/readyz/program", "SVC_READINESS_PROBE"];

const unchanged: DrainingProbe = { probes: {}, env: [], warnings: [] };

/** The kubelet's defaults for a probe. */
const [PERIOD_SECONDS, TIMEOUT_SECONDS, FAILURES] = [10, 1, 3];
/** Until each node of a cluster knows that a pod takes no more requests. */
const SPREAD_SECONDS = 3;
/** The wrapper's own limit. */
const LONGEST_SECONDS = 600;
/** The wrapper's answer, for a command that asks it first. */
const COMMAND_SECONDS = 5;

/**
 * Lets the wrapper take part in the readiness of its container, if it replaces the program under a
 * permit. It fails the probe, and waits until the kubelet and the Service know that. Only then does
 * it end the program.
 *
 * 1. A probe by HTTP goes to the wrapper, which asks the program in the same way.
 * 2. A command asks the wrapper first.
 * 3. Others stay: the wrapper has no part in them, which a warning says.
 */
export function drainingProbe(container: Container, wanted: DrainRequest): DrainingProbe {
  const { role, settings, isSealed } = wanted;
  const { operator, values } = settings;
  const restarts = (values.rotation ?? "restart") === "restart" && values.rotationBy !== "pod";
  if (operator.permits === undefined || !restarts || role === "init" || isSealed) return unchanged;
  const own = container.readinessProbe ?? undefined;
  if (own === undefined) return warned(container, "it has no readinessProbe");
  const drains = setsVariable(container, "SVC_ROTATION_DRAIN") ? [] : [drainOf(own)];
  if (runsCommand(own)) {
    if (!isAskedFromInside(container, wanted.endpoint)) return warned(container, unasked);
    const timeoutSeconds = (own.timeoutSeconds ?? TIMEOUT_SECONDS) + COMMAND_SECONDS;
    const readinessProbe = { ...onceServing(own), timeoutSeconds };
    return { probes: { readinessProbe }, env: drains, warnings: [] };
  }
  return byHttp(container, wanted, { own, drains });
}

/** The container with its own readiness probe again, as it was before an injection. */
export function withOwnProbe(container: Container): Container {
  const { readinessProbe, env } = container;
  const text = env?.find(({ name }) => name === PROBE)?.value ?? undefined;
  if (readinessProbe?.httpGet?.path !== PROGRAM_PATH || text === undefined) return container;
  const asked = parsed(text);
  return asked === undefined
    ? container
    : { ...container, readinessProbe: { ...readinessProbe, httpGet: asked } };
}

/** The operator has written it, and a person may have changed it. */
function parsed(text: string): PortAction | undefined {
  try {
    const { timeoutSeconds: _, ...httpGet } = Object(JSON.parse(text.replaceAll("$$", "$")));
    return typeof httpGet.port === "number" ? httpGet : undefined;
  } catch {
    return undefined;
  }
}

interface OwnProbe {
  readonly own: Probe;
  readonly drains: readonly EnvEntry[];
}

function byHttp(
  container: Container,
  { endpoint, isTls, isInMesh }: DrainRequest,
  { own, drains }: OwnProbe,
): DrainingProbe {
  const { httpGet } = own;
  if (httpGet === undefined || httpGet === null) {
    return warned(container, "its readinessProbe is neither httpGet nor exec");
  }
  if (isInMesh) return warned(container, "a mesh answers for its ports");
  const port = endpoint.kind === "loopback" ? undefined : endpoint.port;
  const asked = questionOf(container, httpGet);
  if (port === undefined) return warned(container, unasked);
  if (asked === undefined) return warned(container, "its readinessProbe asks another host or port");
  // It asks the wrapper already.
  if (asked.port === port) return { ...unchanged, env: drains };
  const scheme = isTls ? "HTTPS" : "HTTP";
  const { httpGet: _, ...times } = own;
  const readinessProbe = { ...times, httpGet: { path: PROGRAM_PATH, port, scheme } };
  const env = [
    ...drains,
    { name: PROBE, value: escapedForExpansion(JSON.stringify({ ...asked, ...timeoutOf(own) })) },
    { name: "SVC_POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
  ];
  return {
    probes: { readinessProbe },
    env: env.filter(({ name }) => !setsVariable(container, name)),
    warnings: [],
  };
}

const unasked = "its wrapper has no port that can be asked";

/** With the number of the port, as the kubelet finds it. */
function questionOf(
  { ports }: Container,
  { port, host, ...others }: PortAction,
): ({ readonly port: number } & Readonly<Record<string, unknown>>) | undefined {
  if ((host ?? "") !== "") return undefined;
  const number =
    typeof port === "number"
      ? port
      : (ports ?? []).find(({ name }) => name === port)?.containerPort;
  return number === undefined ? undefined : { ...others, port: number };
}

/** The kubelet's own limit is the same. */
function timeoutOf({ timeoutSeconds }: Probe): object {
  return typeof timeoutSeconds === "number" ? { timeoutSeconds } : {};
}

function drainOf({ periodSeconds, timeoutSeconds, failureThreshold }: Probe): EnvEntry {
  const period = periodSeconds ?? PERIOD_SECONDS;
  const timeout = timeoutSeconds ?? TIMEOUT_SECONDS;
  const seconds = period * (failureThreshold ?? FAILURES) + timeout + SPREAD_SECONDS;
  return { name: "SVC_ROTATION_DRAIN", value: `${Math.min(seconds, LONGEST_SECONDS)}s` };
}

function warned({ name }: Container, why: string): DrainingProbe {
  const warning = `container ${name}: ${why}, so requests may fail while its program is replaced (rotation-by: pod replaces the pod instead)`;
  return { ...unchanged, warnings: [warning] };
}
