import { describe, expect, test } from "bun:test";
import type { Container, Probe } from "../pod/pod.ts";
import { decideSmall, injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

const permits = { address: "https://svc-operator.svc-system.svc:8444", authorityPem: "PEM" };
const operator = { permits };

function injected(readinessProbe: Probe | undefined, small: SmallPod = {}): Container {
  const probe = readinessProbe === undefined ? {} : { readinessProbe };
  const container = { ports: [{ name: "web", containerPort: 8080 }], ...probe, ...small.container };
  return injectedContainer({ operator, ...small, container });
}

function textOf({ env }: Container, name: string): string | undefined {
  return env?.find((entry) => entry.name === name)?.value ?? undefined;
}

const http: Probe = { httpGet: { port: "web", path: "/ready" }, periodSeconds: 5 };

describe("a readiness probe by HTTP", () => {
  test("goes to the wrapper, which asks the program in the same way", () => {
    const made = injected(http);
    expect(made.readinessProbe).toEqual({
      httpGet: { path: "/readyz/program", port: 8199, scheme: "HTTP" },
      periodSeconds: 5,
    });
    expect(JSON.parse(textOf(made, "SVC_READINESS_PROBE") ?? "")).toEqual({
      ...{ port: 8080, path: "/ready" },
    });
    const podIp = made.env?.find(({ name }) => name === "SVC_POD_IP");
    expect(podIp?.valueFrom).toEqual({ fieldRef: { fieldPath: "status.podIP" } });
  });

  test("is drained for as long as the kubelet takes to see it fail", () => {
    expect(textOf(injected(http), "SVC_ROTATION_DRAIN")).toBe("19s");
    const slow = { ...http, periodSeconds: 600 };
    expect(textOf(injected(slow), "SVC_ROTATION_DRAIN")).toBe("600s");
  });

  test("keeps its header fields, its scheme and its time", () => {
    const httpHeaders = [{ name: "Host", value: "shop.test" }];
    const httpGet = { port: 8443, scheme: "HTTPS", httpHeaders };
    const made = injected({ httpGet, timeoutSeconds: 7 });
    expect(JSON.parse(textOf(made, "SVC_READINESS_PROBE") ?? "")).toEqual({
      ...{ ...httpGet, timeoutSeconds: 7 },
    });
  });

  test("keeps a header that looks like a reference to a variable", () => {
    const httpHeaders = [{ name: "X-Probe", value: "$(HOME)" }];
    const made = injected({ httpGet: { port: 8080, httpHeaders } });
    // Kubernetes makes one dollar of two, and expands nothing.
    expect(textOf(made, "SVC_READINESS_PROBE")).toContain('"$$(HOME)"');
  });

  test("is asked by TLS if the wrapper's server speaks it", () => {
    const made = injected(http, { annotations: { "broker-tls-secret": "tls" } });
    expect(made.readinessProbe?.httpGet).toMatchObject({ scheme: "HTTPS" });
  });

  test("that asks the wrapper already stays", () => {
    const probe = { httpGet: { port: 8199, path: "/readyz" } };
    const env = [{ name: "HEALTH_ADDR", value: ":8199" }];
    const made = injected(probe, { container: { env } });
    expect(made.readinessProbe).toEqual(probe);
    expect(textOf(made, "SVC_ROTATION_DRAIN")).toBe("34s");
  });
});

test("a command asks the wrapper first, and has time for it", () => {
  const made = injected({ exec: { command: ["/ready", "now"] } });
  expect(made.readinessProbe).toEqual({
    exec: { command: ["/opt/svc/bin/svc-wrapper", "--once-serving", "--", "/ready", "now"] },
    timeoutSeconds: 6,
  });
  expect(textOf(made, "SVC_ROTATION_DRAIN")).toBe("34s");
});

describe("a container keeps its probe", () => {
  const rows: readonly [string, SmallPod][] = [
    ["without permits", { operator: { permits: undefined } }],
    ["if it is signalled", { annotations: { rotation: "sighup" } }],
    ["if it is never rotated", { annotations: { rotation: "none" } }],
    ["if the whole pod is replaced", { annotations: { "rotation-by": "pod" } }],
  ];
  test.each(rows)("%s", (_, small) => {
    const made = injected(http, small);
    expect(made.readinessProbe).toEqual(http);
    expect(textOf(made, "SVC_ROTATION_DRAIN")).toBeUndefined();
  });
});

describe("a warning says that requests may fail", () => {
  const istio = { name: "istio-proxy", image: "istio", command: ["/proxy"] };
  const rows: readonly [string, Probe | undefined, SmallPod, string][] = [
    ["without a probe", undefined, {}, "no readinessProbe"],
    ["with a probe by TCP", { tcpSocket: { port: 8080 } }, {}, "neither httpGet nor exec"],
    ["with a probe by gRPC", { grpc: { port: 8080 } }, {}, "neither httpGet nor exec"],
    ["for another host", { httpGet: { port: 80, host: "other.test" } }, {}, "another host"],
    ["for the node's loopback", { httpGet: { port: 80, host: "127.0.0.1" } }, {}, "another host"],
    ["for an unknown port", { httpGet: { port: "admin" } }, {}, "another host or port"],
    [
      "in a mesh",
      http,
      {
        spec: {
          containers: [{ name: "app", image: "app:1", command: ["/app"], ...probeOf() }, istio],
        },
      },
      "a mesh",
    ],
  ];

  test.each(rows)("%s", (_, readinessProbe, small, why) => {
    const probe = readinessProbe === undefined ? {} : { readinessProbe };
    const decision = decideSmall({
      operator,
      ...small,
      container: { command: ["/app"], ...probe },
    });
    if (decision.kind !== "patch") throw new TypeError(JSON.stringify(decision));
    expect(decision.warnings).toContainEqual(expect.stringContaining(why));
  });

  function probeOf() {
    return { readinessProbe: http, ports: [{ name: "web", containerPort: 8080 }] };
  }
});
