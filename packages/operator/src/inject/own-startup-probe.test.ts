import { describe, expect, test } from "bun:test";
import type { Container, PodSpec, Probe } from "../pod/pod.ts";
import { decideSmall, injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

const SEALED = { "vault-auth-method": "token", "broker-tls-secret": "broker" };
const forever = 2_147_483_647;
const tcpSocket = { port: 9000 };
const healthAt = (value: string) => ({ env: [{ name: "HEALTH_ADDR", value }] });
const exec = { command: ["test", "-f", "/etc/passwd"] };
const wrapper = "/opt/svc/bin/svc-wrapper";
const gated = (...command: readonly string[]) => ({
  exec: { command: [wrapper, "--once-ready", "--", ...command] },
  timeoutSeconds: 6,
});

/** The application's own, and the probe that the container has in the end. */
const kept: Readonly<
  Record<string, readonly [own: Probe, startupProbe: Probe, small?: Omit<SmallPod, "image">]>
> = {
  "with the wrapper's time on top": [
    { tcpSocket, periodSeconds: 5, failureThreshold: 30 },
    { tcpSocket, periodSeconds: 5, failureThreshold: 66 },
  ],
  "if it has only an address": [{ tcpSocket }, { tcpSocket, failureThreshold: 21 }],
  "and waits for a token": [
    { tcpSocket, periodSeconds: 1 },
    { tcpSocket, periodSeconds: 1, failureThreshold: forever },
    { annotations: SEALED },
  ],
  "if the kubelet does not reach the wrapper": [
    { tcpSocket },
    { tcpSocket, failureThreshold: 21 },
    { spec: { hostNetwork: true } },
  ],
  "and its command runs once the program does": [
    { exec },
    { ...gated(...exec.command), failureThreshold: 21 },
  ],
  "and its command keeps its time": [
    { exec, timeoutSeconds: 10, periodSeconds: 60 },
    { ...gated(...exec.command), timeoutSeconds: 15, periodSeconds: 60, failureThreshold: 6 },
  ],
  "and its command keeps the longest time that there is": [
    { exec, timeoutSeconds: forever },
    { ...gated(...exec.command), timeoutSeconds: forever, failureThreshold: 21 },
  ],
  "and its command waits for a token": [
    { exec },
    { ...gated(...exec.command), failureThreshold: 214_748_368 },
    { annotations: SEALED },
  ],
  "and its command asks on the pod's loopback": [
    { exec },
    { ...gated(...exec.command), failureThreshold: 21 },
    { container: healthAt("127.0.0.1:9999") },
  ],
  "and its command asks if only the node knows": [
    { exec },
    { ...gated(...exec.command), failureThreshold: 21 },
    { container: { env: [{ name: "HEALTH_ADDR", valueFrom: {} }] } },
  ],
  "and its command gets the secrets if that is asked, after it has waited": [
    { exec: { command: ["ready"] }, periodSeconds: 60 },
    {
      ...gated(
        ...[wrapper, "--health-addr=127.0.0.1:0", "--rotation=none"],
        ...["--termination-log=/dev/null", "--", "ready"],
      ),
      ...{ periodSeconds: 60, failureThreshold: 6 },
    },
    { annotations: { "unprotected-probes": "true" } },
  ],
  "and its command as it is if it asks the wrapper already": [
    gated("ready"),
    { ...gated("ready"), timeoutSeconds: 11, failureThreshold: 21 },
    { annotations: { "unprotected-probes": "true" } },
  ],
  "and its command as it is in a job that nothing ends": [
    { exec },
    { exec, failureThreshold: 21 },
    { spec: { restartPolicy: "Never", hostNetwork: true } },
  ],
  "if it asks the wrapper whether it is ready": [
    { httpGet: { path: "/readyz", port: 9999 } },
    { httpGet: { path: "/readyz", port: 9999 }, failureThreshold: 21 },
    { container: healthAt(":9999") },
  ],
  "if it asks that with a query and without a slash": [
    { httpGet: { path: "readyz?x=/y", port: 9999 } },
    { httpGet: { path: "readyz?x=/y", port: 9999 }, failureThreshold: 21 },
    { container: healthAt(":9999") },
  ],
  "if it asks the same port of another host": [
    { httpGet: { path: "/healthz", port: 9999, host: "other.test" } },
    { httpGet: { path: "/healthz", port: 9999, host: "other.test" }, failureThreshold: 21 },
    { container: healthAt(":9999") },
  ],
  "if it asks the port that the wrapper would have, which gets another": [
    { httpGet: { path: "/healthz", port: 8199 } },
    { httpGet: { path: "/healthz", port: 8199 }, failureThreshold: 21 },
  ],
};

describe("a startup probe of the application stays", () => {
  for (const [name, [own, startupProbe, small = {}]] of Object.entries(kept)) {
    test(name, () => {
      const container = { ...small.container, startupProbe: own };
      expect(injectedContainer({ ...small, container }).startupProbe).toEqual(startupProbe);
    });
  }

  test("and its command alone: the others run once it has succeeded", () => {
    const probes = { readinessProbe: { exec }, livenessProbe: { exec } };
    const after = injectedContainer({ container: { ...probes, startupProbe: { exec } } });
    expect(after).toMatchObject(probes);
  });
});

const asked = "container app: must be without a startupProbe that succeeds before its program runs";
const unheard =
  "container app: must be given a health port that the command of its startupProbe can ask first";

/** If it could succeed before the program runs. */
const refused: Readonly<
  Record<
    string,
    readonly [own: Probe, container: Partial<Container>, spec: Partial<PodSpec>, why: string]
  >
> = {
  "asks /healthz of the wrapper": [
    { httpGet: { path: "/healthz", port: 9999 } },
    healthAt(":9999"),
    {},
    `${asked}: it asks the port of the wrapper's own health server (ask GET /readyz there,`,
  ],
  "asks /metrics of the wrapper by the name of its port": [
    { httpGet: { path: "/metrics", port: "health" } },
    { ...healthAt(":9999"), ports: [{ name: "health", containerPort: 9999 }] },
    {},
    asked,
  ],
  "asks the wrapper on the loopback of the node": [
    { httpGet: { path: "/healthz", port: 9999, host: "127.0.0.1" } },
    healthAt("127.0.0.1:9999"),
    { hostNetwork: true },
    asked,
  ],
  "connects to the wrapper": [{ tcpSocket: { port: 9999 } }, healthAt(":9999"), {}, asked],
  "runs a command on the node's network": [
    { exec },
    {},
    { hostNetwork: true },
    `${unheard}: the pod is on the node's network (set svc.internal/health-port: without one the`,
  ],
  "runs a command beside a wrapper with any free port": [
    { exec },
    healthAt("127.0.0.1:0"),
    {},
    `${unheard}: its HEALTH_ADDR tells none (leave HEALTH_ADDR out or give it a port: without one`,
  ],
  "runs a command beside a wrapper without a health server": [
    { exec },
    healthAt("off"),
    {},
    unheard,
  ],
  "runs a command in a job that a liveness probe ends": [
    { exec },
    { livenessProbe: { tcpSocket } },
    { restartPolicy: "Never", hostNetwork: true },
    unheard,
  ],
};

describe("a pod is refused whose startup probe", () => {
  for (const [name, [startupProbe, container, spec, why]] of Object.entries(refused)) {
    test(name, () => {
      const message = expect.stringContaining(why);
      const decision = decideSmall({ spec, container: { ...container, startupProbe } });
      expect(decision).toMatchObject({ kind: "deny", message });
    });
  }
});

test("a warning says that a startup probe of a sealed container ends nothing", () => {
  const container = { startupProbe: { tcpSocket } };
  expect(decideSmall({ annotations: SEALED, container })).toMatchObject({
    warnings: [
      "container app: its startupProbe waits for ever, because a sealed wrapper may: it ends no program that hangs",
    ],
  });
});

test("a warning says that a command has no secrets, and not that it must wait", () => {
  expect(decideSmall({ container: { startupProbe: { exec } } })).toMatchObject({
    warnings: [
      "container app: startupProbe run without secrets: see svc.internal/unprotected-probes",
    ],
  });
});
