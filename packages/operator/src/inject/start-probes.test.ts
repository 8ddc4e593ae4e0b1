import { describe, expect, test } from "bun:test";
import type { Container, PodSpec, Probe } from "../pod/pod.ts";
import { decideSmall, injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

const SEALED = { "vault-auth-method": "token" };
const exec = { command: ["/opt/svc/bin/svc-wrapper", "--once-ready"] };
const ours = (failureThreshold: number, periodSeconds = 2) => ({
  ...{ exec, periodSeconds, timeoutSeconds: 5, failureThreshold },
});
const tcpSocket = { port: 9000 };

/** The probe that a container has in the end. */
const started: Readonly<Record<string, readonly [small: SmallPod, startupProbe: Probe]>> = {
  "asks the wrapper for two minutes and a reserve": [{}, ours(90)],
  "waits as long as the annotation lets the wrapper": [
    { annotations: { "start-deadline": "10m" } },
    ours(330),
  ],
  "waits as long as the container's own variable lets the wrapper": [
    { container: { env: [{ name: "SVC_START_DEADLINE", value: "0" }] } },
    ours(30),
  ],
  "waits without an end if only the node knows the deadline": [
    { container: { env: [{ name: "SVC_START_DEADLINE", valueFrom: {} }] } },
    ours(1_073_741_824),
  ],
  "waits for the agent as well": [
    { container: { env: [{ name: "SVC_REQUIRE_AGENT", value: "true" }] } },
    ours(150),
  ],
  "waits for a token without an end": [{ annotations: SEALED }, ours(429_496_730, 5)],
  "asks by TLS if the wrapper has a certificate, as its environment says": [
    { container: { env: [{ name: "SVC_BROKER_TLS_CERT", value: "/tls/tls.crt" }] } },
    ours(90),
  ],
  "asks the wrapper's own port": [
    { container: { env: [{ name: "HEALTH_ADDR", value: ":9999" }] } },
    ours(90),
  ],
  "asks a wrapper on the pod's loopback, which the kubelet does not reach": [
    { container: { env: [{ name: "HEALTH_ADDR", value: "127.0.0.1:9999" }] } },
    ours(90),
  ],
  "asks at an address that only the node knows": [
    { container: { env: [{ name: "HEALTH_ADDR", value: "$(POD_IP):9999" }] } },
    ours(90),
  ],
  "asks at the port for the node's network": [
    { spec: { hostNetwork: true }, annotations: { "health-port": "9999" } },
    ours(90),
  ],
  "asks the loopback of the node if the pod is on its network": [
    {
      spec: { hostNetwork: true },
      container: { env: [{ name: "HEALTH_ADDR", value: "127.0.0.1:9999" }] },
    },
    ours(90),
  ],
};

describe("the startup probe", () => {
  for (const [name, [small, startupProbe]] of Object.entries(started)) {
    test(name, () => expect(appOf(small).startupProbe).toEqual(startupProbe));
  }

  test("is a sidecar's as well, and never an init container's", () => {
    const initContainers = [
      { name: "proxy", restartPolicy: "Always", command: ["/proxy"] },
      { name: "migrate", command: ["/migrate"] },
    ];
    const annotations = { "inject-init-containers": "true" };
    const { spec } = injectedPodOf({ annotations, spec: { initContainers } });
    const probes = spec.initContainers?.map(({ name, startupProbe }) => [name, startupProbe]);
    expect(probes?.slice(1)).toEqual([
      ["proxy", ours(90)],
      ["migrate", undefined],
    ]);
  });
});

const sealedProbes: Readonly<
  Record<string, readonly [container: Partial<Container>, readinessProbe: Probe | undefined]>
> = {
  "that asks the same": [{}, { exec, periodSeconds: 5, timeoutSeconds: 5 }],
  "of its own": [{ readinessProbe: { tcpSocket } }, { tcpSocket }],
};

describe("a container that waits for a token has a readiness probe", () => {
  for (const [name, [container, readinessProbe]] of Object.entries(sealedProbes)) {
    test(name, () => {
      expect(appOf({ annotations: SEALED, container }).readinessProbe).toEqual(readinessProbe);
    });
  }

  test("and none if it has a token", () => {
    expect(appOf({})).not.toHaveProperty("readinessProbe");
  });
});

/** If no command can ask the wrapper: refused, unless it makes no difference. */
const unheard: Readonly<
  Record<string, readonly [spec: Partial<PodSpec>, container: Partial<Container>, found: string]>
> = {
  "a pod on the node's network without a port": [
    { hostNetwork: true },
    {},
    "the pod is on the node's network (set svc.internal/health-port: without one",
  ],
  "a wrapper with any free port": [
    {},
    { env: [{ name: "HEALTH_ADDR", value: "127.0.0.1:0" }] },
    "its HEALTH_ADDR tells none (leave HEALTH_ADDR out or give it a port: without one",
  ],
  "a wrapper without a health server": [
    {},
    { env: [{ name: "HEALTH_ADDR", value: "off" }] },
    "its HEALTH_ADDR tells none",
  ],
  "a job with a liveness probe, which would end it": [
    { restartPolicy: "Never", hostNetwork: true },
    { livenessProbe: { tcpSocket } },
    "the pod is on the node's network",
  ],
};

describe("a pod is refused for", () => {
  for (const [name, [spec, container, found]] of Object.entries(unheard)) {
    test(name, () => {
      const decision = decideSmall({ spec, container: { command: ["/app"], ...container } });
      expect(decision).toMatchObject({
        kind: "deny",
        message: expect.stringContaining(
          `container app: must be given a health port that its startupProbe can ask, or its own startupProbe: ${found}`,
        ),
      });
    });
  }

  test("none of that for a job, which is never ready", () => {
    const spec = { restartPolicy: "Never", hostNetwork: true };
    expect(appOf({ spec })).not.toHaveProperty("startupProbe");
  });
});

function appOf(small: SmallPod): Container {
  const [app] = injectedPodOf(small).spec.containers;
  if (app === undefined) throw new TypeError("the container is gone");
  return app;
}
