import { describe, expect, test } from "bun:test";
import {
  decideSmall,
  injectedContainer,
  injectedPodOf,
  type SmallPod,
} from "./testdata/injected-container.ts";

const SEALED = { "vault-auth-method": "token" };
const FOLDER = "/var/run/secrets/svc.internal";
const pair = [
  { name: "SVC_BROKER_TLS_CERT", value: `${FOLDER}/broker-tls/tls.crt` },
  { name: "SVC_BROKER_TLS_KEY", value: `${FOLDER}/broker-tls/tls.key` },
];
const authority = [{ name: "SVC_BROKER_TLS_CA", value: `${FOLDER}/broker-ca/ca.crt` }];
const secret = (
  secretName: string,
  ...items: readonly (readonly [key: string, path: string])[]
) => ({
  secretName,
  items: items.map(([key, path]) => ({ key, path })),
});
const tlsVolume = {
  name: "svc-broker-tls",
  secret: secret("broker", ["tls.crt", "tls.crt"], ["tls.key", "tls.key"]),
};

interface Told {
  readonly small: SmallPod;
  readonly env: readonly object[];
  readonly volumes: readonly object[];
}

const cases: Readonly<Record<string, Told>> = {
  "by annotation": {
    small: { annotations: { ...SEALED, "broker-tls-secret": "broker" } },
    env: pair,
    volumes: [tlsVolume],
  },
  "with a CA for its clients": {
    small: {
      annotations: {
        ...SEALED,
        ...{ "broker-tls-secret": "broker", "broker-ca-secret": "clients/root.pem" },
      },
    },
    env: [...pair, ...authority],
    volumes: [
      tlsVolume,
      { name: "svc-broker-ca", secret: secret("clients", ["root.pem", "ca.crt"]) },
    ],
  },
  "by the SvcConfig": {
    small: {
      annotations: SEALED,
      config: { brokerTlsSecretRef: { name: "broker" }, brokerCaSecretRef: { name: "clients" } },
    },
    env: [...pair, ...authority],
    volumes: [
      tlsVolume,
      { name: "svc-broker-ca", secret: secret("clients", ["ca.crt", "ca.crt"]) },
    ],
  },
  "with every login": {
    small: { annotations: { "broker-tls-secret": "broker" } },
    env: pair,
    volumes: [tlsVolume],
  },
  "with the container's own files, which stay": {
    small: {
      annotations: { ...SEALED, "broker-tls-secret": "broker" },
      container: {
        env: [
          { name: "SVC_BROKER_TLS_CERT", value: "/own/cert" },
          { name: "SVC_BROKER_TLS_KEY", value: "/own/key" },
        ],
      },
    },
    env: [
      { name: "SVC_BROKER_TLS_CERT", value: "/own/cert" },
      { name: "SVC_BROKER_TLS_KEY", value: "/own/key" },
    ],
    volumes: [],
  },
};

describe("the wrapper's server speaks TLS", () => {
  for (const [name, { small, env, volumes }] of Object.entries(cases)) {
    test(name, () => {
      const container = injectedContainer(small);
      const named = (container.env ?? []).filter((entry) => entry.name.startsWith("SVC_BROKER"));
      expect(named).toEqual(env as typeof named);
      const added = (injectedPodOf(small).spec.volumes ?? []).map((volume): object => volume);
      expect(added.filter((volume) => JSON.stringify(volume).includes("svc-broker"))).toEqual([
        ...volumes,
      ]);
      expect(container.startupProbe?.exec?.command?.at(-1)).toBe("--once-ready");
    });
  }
});

test("a CA without a certificate is refused", () => {
  expect(decideSmall({ annotations: { "broker-ca-secret": "clients" } })).toMatchObject({
    kind: "deny",
    message: expect.stringContaining(
      "svc.internal/broker-ca-secret: must be given together with svc.internal/broker-tls-secret: that is not there",
    ),
  });
});

test("a sealed wrapper without TLS is warned of", () => {
  const warning =
    "container app: its token is brought by plain http: give svc.internal/broker-tls-secret";
  expect(decideSmall({ annotations: SEALED })).toMatchObject({ warnings: [warning] });
  const annotations = { ...SEALED, "broker-tls-secret": "broker" };
  expect(decideSmall({ annotations })).toMatchObject({ warnings: [] });
});
