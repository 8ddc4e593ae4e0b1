import { describe, expect, test } from "bun:test";
import type { Container, Pod } from "../pod/pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { stopGrace } from "./stop-grace.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import {
  decideSmall,
  injectedContainer,
  injectedPodOf,
  type SmallPod,
  smallPod,
} from "./testdata/injected-container.ts";

/** The text of a refusal, without its first and last line. */
function complaints(small: SmallPod): readonly string[] {
  const decision = decideSmall(small);
  if (decision.kind !== "deny") throw new TypeError(`no refusal: ${JSON.stringify(decision)}`);
  const lines = decision.message.split("\n");
  expect(lines[0]).toBe("inject secrets into pod small: cannot:");
  expect(lines.at(-1)).toBe(
    "to start it without secrets take svc.internal/inject out of its annotations and labels",
  );
  return lines.slice(1, -1);
}

const windowsNodes = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values: ["windows"] }] },
    ],
  },
};

const refusals: Readonly<Record<string, readonly [small: SmallPod, line: string]>> = {
  "a container that only its image describes, which cannot be read": [
    { container: { command: [] } },
    "container app: must be one whose program is known: the container has no command, and the command of image app:1 is not known: it was not asked (set the command of the container in the pod)",
  ],
  "an image of Windows": [
    { image: { entrypoint: ["a.exe"], command: [], os: "windows" } },
    "container app: must be one whose program is known: the container has no command, and the command of image app:1 is not known: it is of windows (set the command of the container in the pod)",
  ],
  "a foreign marker": [
    { annotations: { injected: "yes" } },
    "svc.internal/injected: must be as the operator set it: it is not (take the annotation out: the operator sets it)",
  ],
  "nodes of Windows by affinity": [
    { spec: { affinity: { nodeAffinity: windowsNodes } } },
    "pod: must be of Linux: it is of windows (the wrapper is a Linux program)",
  ],
  "no container but those left out": [
    { annotations: { "skip-containers": "app" } },
    "pod: must be one with a container to inject into: app: skip-containers names it",
  ],
  "a token's Secret without the method": [
    { annotations: { "token-secret": "vault" } },
    "svc.internal/token-secret: must be given with the method token: the method is kubernetes (set svc.internal/vault-auth-method to token)",
  ],
  "two sources of certificates": [
    {
      annotations: {
        "vault-ca-secret": "ca",
        "vault-ca-bundle": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
      },
    },
    "svc.internal/vault-ca-secret: must be given without svc.internal/vault-ca-bundle: both are there",
  ],
  "paths of an annotation with a map of the SvcConfig": [
    {
      without: ["env-map"],
      annotations: { "secret-paths": "secret/data/a,secret/data/b" },
      config: { envMap: "a=A" },
    },
    "SvcConfig shop/default: envMap: must be a map with one group for each path of svc.internal/secret-paths: groups: 1, paths: 2 (semicolons part the groups, in the order of the paths)",
  ],
  "files for more paths than there are": [
    { annotations: { "file-map": "a=/run/a;b=/run/b" } },
    "svc.internal/file-map: must be a map with one group for each path of svc.internal/secret-paths: groups: 2, paths: 1 (semicolons part the groups, in the order of the paths)",
  ],
  "a path that gives neither a variable nor a file": [
    {
      annotations: {
        ...{ "secret-paths": "secret/data/a,secret/data/b", "env-map": "a=A;" },
        "file-map": "a=/run/a;",
      },
    },
    "svc.internal/env-map: must be a map without empty groups, or with a file in their place: group 2 is empty in both maps",
  ],
  "a program that needs an agent and is given none": [
    { annotations: { "require-agent": "true", ebpf: "false" } },
    'svc.internal/require-agent: must be given with "true" for svc.internal/ebpf, or without it: that is "false"',
  ],
  "a malformed SvcConfig": [
    { without: ["vault-address"], config: { vaultAddress: "vault" } },
    'SvcConfig shop/default: vaultAddress: must be an http:// or https:// URL with a port, such as https://vault.example:8200: got "vault" (write https://vault:8200)',
  ],
  "a missing setting": [
    { without: ["vault-role"], config: {} },
    "svc.internal/vault-role: must be set: neither it nor SvcConfig shop/default says anything",
  ],
  "an address that the SvcConfig does not allow": [
    { config: { allowedAddresses: [] } },
    'svc.internal/vault-address: must be one of the allowed addresses, of which there are none: got "https://vault.test:8200"',
  ],
  "a container's own address that is not allowed": [
    {
      operator: { allowedAddresses: ["https://vault.test:8200"] },
      container: { env: [{ name: "VAULT_ADDR", value: "https://elsewhere.test:8200" }] },
    },
    'container app: VAULT_ADDR: must be one of the allowed addresses, https://vault.test:8200: got "https://elsewhere.test:8200"',
  ],
  "a container's own address that only the node knows": [
    {
      operator: { allowedAddresses: ["https://vault.test:8200"] },
      container: { env: [{ name: "VAULT_ADDR", value: "$(SCHEME)://vault.test:8200" }] },
    },
    "container app: VAULT_ADDR: must be written down as one of the allowed addresses: it is taken from elsewhere",
  ],
  "probes that fetch secrets from a sealed wrapper": [
    {
      annotations: { "vault-auth-method": "token", "unprotected-probes": "true" },
      container: { livenessProbe: { exec: { command: ["check"] } } },
    },
    "container app: must be given a token if its probes fetch secrets: it waits for one by POST /v1/unseal (give svc.internal/token-secret, or leave svc.internal/unprotected-probes out)",
  ],
};

describe("a pod is refused for", () => {
  for (const [name, [small, line]] of Object.entries(refusals)) {
    test(name, () => expect(complaints(small)).toEqual([line]));
  }

  test("a SvcConfig that does not exist", () => {
    expect(complaints({ annotations: { config: "payments" } })).toEqual([
      'svc.internal/config: must be the name of a SvcConfig in the pod\'s namespace: there is none called "payments"',
    ]);
  });

  test("nothing if the operator admits pods that cannot be injected", () => {
    const annotations = { rotation: "x" };
    expect(decideSmall({ annotations, operator: { whenImpossible: "admit" } })).toEqual({
      kind: "skip",
      reason: "it cannot be injected into, and is admitted by the operator's settings",
      warnings: ['svc.internal/rotation: must be one of restart, sighup, none: got "x"'],
      unmet: ["svc.internal/rotation: must be one of restart, sighup, none"],
    });
  });
});

describe("CAP_IPC_LOCK is", () => {
  const cases: Readonly<Record<string, readonly [small: SmallPod, added: string[] | undefined]>> = {
    "not added without asking": [{}, undefined],
    "added if locked memory is required": [
      { annotations: { "require-mlock": "true" } },
      ["IPC_LOCK"],
    ],
    "not added if that is asked": [
      { annotations: { "require-mlock": "true", "add-ipc-lock": "false" } },
      undefined,
    ],
    "added for itself": [{ annotations: { "add-ipc-lock": "true" } }, ["IPC_LOCK"]],
    "not added if the container drops it by name": [
      {
        annotations: { "require-mlock": "true" },
        container: { securityContext: { capabilities: { drop: ["IPC_LOCK"] } } },
      },
      undefined,
    ],
  };
  for (const [name, [small, added]] of Object.entries(cases)) {
    test(name, () => {
      const { securityContext } = injectedContainer(small);
      expect(securityContext?.capabilities?.add).toEqual(added);
    });
  }
});

test("the wrapper stops the program before the kubelet stops all", () => {
  const graces = [undefined, 30, 0, 1, 10, 24, 25, 31, 3600, 2 ** 40];
  expect(graces.map(stopGrace)).toEqual([
    ...[
      undefined,
      undefined,
      "0ms",
      "800ms",
      "8000ms",
      "19200ms",
      "20s",
      "26s",
      "3595s",
      "2147483s",
    ],
  ]);
  const container = injectedContainer({
    annotations: { "stop-grace": "7s" },
    spec: { terminationGracePeriodSeconds: 600 },
  });
  expect(container.env).toContainEqual({ name: "SVC_STOP_GRACE", value: "7s" });
});

test("a script that is too long for a variable as JSON stays the container's args", () => {
  const script = "\n".repeat(70_000);
  const container = injectedContainer({ container: { command: ["sh", "-c"], args: [script] } });
  expect(container.command).toEqual(["/opt/svc/bin/svc-wrapper", "--"]);
  expect(container.args).toEqual(["sh", "-c", script]);
  const names = (container.env ?? []).filter(({ name }) => name.startsWith("SVC_ORIGINAL"));
  expect(names).toEqual([{ name: "SVC_ORIGINAL_CMD", value: '["sh"]' }]);
});

test("ports go on from the least if the last is taken", () => {
  const others = [1, 2].map((number) => ({ name: `c${number}`, command: ["/c"] }));
  const containers = [{ name: "app", command: ["/app"] }, ...others];
  const { spec } = injectedPodOf({ annotations: { "health-port": "65535" }, spec: { containers } });
  const address = ({ env }: Container) => env?.find(({ name }) => name === "HEALTH_ADDR")?.value;
  expect(spec.containers.map(address)).toEqual([":65535", ":1024", ":1025"]);
});

test("a port that the image names is not the wrapper's", () => {
  const image = { entrypoint: ["/app"], command: [], ports: [8199, 8200] };
  const container = injectedContainer({ image });
  expect(container.env).toContainEqual({ name: "HEALTH_ADDR", value: ":8201" });
});

test("a text with a reference of Kubernetes' stays a text", () => {
  const container = injectedContainer({ annotations: { "vault-role": "a$(HOME)$$" } });
  expect(container.env).toContainEqual({ name: "VAULT_AUTH_ROLE", value: "a$$(HOME)$$$$" });
});

test("ephemeral containers, and unknown fields, stay", () => {
  const spec = { ephemeralContainers: [{ name: "debug", image: "b" }], futureField: { x: 1 } };
  expect(injectedPodOf({ spec }).spec).toMatchObject(spec);
});

test("another prefix is another operator's", () => {
  const pod: Pod = smallPod({ container: { command: ["/app"] } });
  const operator = { ...goldenOperator, prefix: "other.test" };
  const context = { operator, configOf: () => undefined, images: new Map() };
  expect(decideInjection({ pod, operation: "CREATE" }, context)).toEqual({
    kind: "skip",
    reason: "it does not ask for it",
    warnings: [],
  });
});

test("a pod that would be too large to store is refused before it is made", () => {
  const text = Array.from({ length: 10_000 }, (_, index) => `f${index}=V${index}`).join(",");
  const containers = Array.from({ length: 20 }, (_, index) => {
    return { name: `c${index}`, image: "app:1", command: ["/app"] };
  });
  const annotations = { "env-map": text };
  const decision = decideSmall({ annotations, spec: { containers } });
  expect(decision).toMatchObject({
    kind: "deny",
    message: expect.stringContaining("20 containers get 23"),
  });
  const few = decideSmall({ annotations, spec: { containers: containers.slice(0, 5) } });
  expect(few.kind).toBe("patch");
});
