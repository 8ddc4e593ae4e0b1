import { expect, test } from "bun:test";
import { findWrappers } from "./find-wrappers.ts";

const WRAPPER = "/opt/svc/bin/svc-wrapper";

function container(name: string, variables: Readonly<Record<string, string>> = {}): object {
  const env = { SVC_ORIGINAL_CMD: '["/app"]', ...variables };
  return {
    name,
    command: [WRAPPER],
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  };
}

interface Shape {
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
  readonly marked?: readonly string[];
  readonly prefix?: string;
  readonly metadata?: object;
  readonly phase?: string;
}

function pod({ containers = [container("app")], marked = ["app"], ...shape }: Shape = {}) {
  const { initContainers = [], prefix = "svc.internal", metadata, phase = "Running" } = shape;
  const marker = JSON.stringify({ containers: marked, volumes: {} });
  return {
    metadata: { name: "web-0", annotations: { [`${prefix}/injected`]: marker }, ...metadata },
    spec: { containers, initContainers },
    status: { phase },
  };
}

test.each([
  ["at the default port", {}, ["web-0:8199"]],
  ["with another prefix", { prefix: "vault.corp" }, ["web-0:8199"]],
  ["at its own port", { containers: [container("app", { HEALTH_ADDR: ":9000" })] }, ["web-0:9000"]],
  [
    "with TLS",
    { containers: [container("app", { SVC_BROKER_TLS_CERT: "/tls/crt" })] },
    ["https:web-0:8199"],
  ],
  [
    "on the loopback alone",
    { containers: [container("app", { HEALTH_ADDR: "127.0.0.1:8199" })] },
    [undefined],
  ],
  ["without a server", { containers: [container("app", { HEALTH_ADDR: "off" })] }, [undefined]],
  [
    "of each container that has one",
    {
      containers: [container("app"), container("api", { HEALTH_ADDR: ":8200" }), { name: "plain" }],
      marked: ["app", "api"],
    },
    ["web-0:8199", "web-0:8200"],
  ],
  [
    "of a sidecar, and not of a container that runs to completion",
    {
      initContainers: [
        container("migrate"),
        { ...container("proxy", { HEALTH_ADDR: ":8201" }), restartPolicy: "Always" },
      ],
      marked: ["app", "migrate", "proxy"],
    },
    ["web-0:8201", "web-0:8199"],
  ],
  ["of no pod that has ended", { phase: "Succeeded" }, []],
  ["of no pod that has failed", { phase: "Failed" }, []],
  ["of no pod that ends", { metadata: { deletionTimestamp: "2026-11-28T00:00:00Z" } }, []],
  ["of no pod without one", { metadata: { annotations: {} } }, []],
  ["of no container whose command was replaced", { containers: [{ name: "app" }] }, []],
] satisfies readonly (readonly [string, Shape, readonly (string | undefined)[]])[])(
  "the wrapper %s",
  (_name, shape, proxied) => {
    expect(findWrappers([pod(shape)]).map((found) => found.proxied)).toEqual([...proxied]);
  },
);
