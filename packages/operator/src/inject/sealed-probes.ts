import type { Container } from "../pod/pod.ts";
import type { ContainerRole } from "./choose-containers.ts";
import type { HealthDoor } from "./health-doors.ts";
import { setsVariable } from "./own-variables.ts";

/** The probes that a sealed container gets, and what they cannot mend. */
export interface SealedProbes {
  readonly probes: Partial<Pick<Container, "readinessProbe" | "startupProbe">>;
  readonly warnings: readonly string[];
}

/** As long as Kubernetes can count: whoever unseals may come days later. */
const FOREVER = 2_147_483_647;

/**
 * A sealed wrapper waits for its token and has not started the program. The pod is kept out of its service by a readiness
 * probe where it has none, and a liveness probe is held back by a startup probe: it would end the container that waits.
 */
export function sealedProbes(
  container: Container,
  role: ContainerRole,
  door: HealthDoor,
): SealedProbes {
  const { name, readinessProbe, livenessProbe, startupProbe } = container;
  if (role === "init") {
    return {
      probes: {},
      warnings: [
        `container ${name}: waits for a token before the pod goes on: init containers have no probes`,
      ],
    };
  }
  const port = door.kind === "loopback" ? undefined : door.port;
  if (port === undefined) {
    return {
      probes: {},
      warnings: [
        `container ${name}: gets no probes for sealed mode: its HEALTH_ADDR tells no port that the kubelet reaches`,
      ],
    };
  }
  const scheme = setsVariable(container, "SVC_BROKER_TLS_CERT") ? { scheme: "HTTPS" } : {};
  const httpGet = { path: "/readyz", port, ...scheme };
  const needsStartup =
    (livenessProbe ?? undefined) !== undefined && (startupProbe ?? undefined) === undefined;
  const endsWhileSealed = (startupProbe ?? undefined) !== undefined;
  return {
    probes: {
      ...((readinessProbe ?? undefined) === undefined && {
        readinessProbe: { httpGet, periodSeconds: 5 },
      }),
      ...(needsStartup && {
        startupProbe: { httpGet, periodSeconds: 5, failureThreshold: FOREVER },
      }),
    },
    warnings: endsWhileSealed
      ? [
          `container ${name}: its startupProbe ends it when it stays sealed for longer than the probe waits`,
        ]
      : [],
  };
}
