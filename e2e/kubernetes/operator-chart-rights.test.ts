import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  type KubernetesRequest,
  type KubernetesTarget,
  waitFor,
} from "@svc/testing";
import {
  NAMESPACE,
  OPERATOR,
  type SomeValues,
  withValues,
} from "../harness/kubernetes/operator-chart.ts";
import {
  CERTIFICATE,
  CONFIGURATION,
  hasRights,
  install,
  LEASE,
  makeNamespace,
  type OperatorRelease,
  operatorRelease,
} from "../harness/kubernetes/operator-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let release: OperatorRelease;
let operator: KubernetesTarget;

beforeAll(async () => {
  release = started.use(await operatorRelease());
  for (const namespace of [NAMESPACE, "shop"]) {
    const metadata = { name: "pull", namespace };
    await applyObject(release.kube, { apiVersion: "v1", kind: "Secret", metadata });
  }
  await install(release);
  operator = await release.asOperator();
  await hasRights(operator);
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** One rule in a line: verbs, resources, and the names if it has some. */
type Right = readonly [verbs: string, resources: string, names?: string];

const configs: Right = ["list watch", "svc.internal/svcconfigs"];
const configStatus: Right = ["patch", "svc.internal/svcconfigs/status"];
const events: Right = ["create", "events.k8s.io/events"];
const countedPods: Right = ["list watch", "/pods"];
const CONFIGURATIONS = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
const webhooks: Right = ["get patch", CONFIGURATIONS, OPERATOR];
/** It watches whether it is trusted, and another tool writes the CA bundle. */
const seenWebhooks: Right = ["get", CONFIGURATIONS, OPERATOR];
const ownLease: Right = ["get patch", "coordination.k8s.io/leases", OPERATOR];
/** The rights for rotation permits. */
const permits: readonly Right[] = [
  ["get", "/pods"],
  ["get", "apps/deployments apps/replicasets apps/statefulsets apps/daemonsets"],
  ["list", "policy/poddisruptionbudgets"],
];
const permitLeases: Right = ["get list create patch delete", "coordination.k8s.io/leases"];
const everywhere = [configs, configStatus, events, countedPods, webhooks, ...permits];
const atHome: readonly Right[] = [
  ...[ownLease, permitLeases],
  ["get patch", "/secrets", `${OPERATOR}-images ${OPERATOR}-permits ${OPERATOR}-tls`],
];
const withoutCertificate: readonly Right[] = [
  ...[ownLease, permitLeases],
  ["get patch", "/secrets", `${OPERATOR}-images ${OPERATOR}-permits`],
];
const without = (...left: readonly Right[]) => everywhere.filter((right) => !left.includes(right));
const pullSecrets: Right = ["get", "/secrets"];
/** The rights of every user with a token: `system:basic-user`. */
const anybodys = /^(authorization|authentication)\.k8s\.io\//;

async function rightsIn(namespace: string): Promise<readonly Right[]> {
  const review = await callKubernetes(operator, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace },
    },
  });
  const rules: readonly Rule[] = Object(review?.["status"]).resourceRules;
  return rules.map(rightOf).filter(([, resources]) => !anybodys.test(resources));
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

function rightOf({ verbs, apiGroups, resources, resourceNames }: Rule): Right {
  const full = apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`));
  const right = [verbs.join(" "), full.join(" ")] as const;
  return resourceNames === undefined ? right : [...right, resourceNames.join(" ")];
}

async function expectRights(namespace: string, wanted: readonly Right[]): Promise<void> {
  const found = await rightsIn(namespace);
  expect(found.toSorted()).toEqual(wanted.toSorted());
}

describe("the operator's account may, as the API server says,", () => {
  test("in its own namespace this and no more", () =>
    expectRights(NAMESPACE, [...everywhere, ...atHome]));

  test("in all others this and no more", () => expectRights("shop", everywhere));

  const changes: Readonly<
    Record<string, readonly [values: SomeValues, home: readonly Right[], shop: readonly Right[]]>
  > = {
    "with certificates of cert-manager not their Secret, and only a look at the webhook": [
      { certificate: { source: "secret", secret: "mine" } },
      [...without(webhooks), seenWebhooks, ...withoutCertificate],
      [...without(webhooks), seenWebhooks],
    ],
    "with pull secrets of a namespace those, by name": [
      { operator: { pullSecrets: { access: "namespaces", namespaces: ["shop"] } } },
      [...everywhere, ...atHome],
      [...everywhere, pullSecrets],
    ],
    "with pull secrets of the cluster every Secret, by name": [
      { operator: { pullSecrets: { access: "cluster" } } },
      [...everywhere, ...atHome, pullSecrets],
      [...everywhere, pullSecrets],
    ],
    "without counting no pods": [
      { settings: { countPods: false } },
      [...without(countedPods), ...atHome],
      without(countedPods),
    ],
    "without the status of SvcConfigs nothing of that": [
      { settings: { keepStatus: false } },
      [...without(configStatus, countedPods), ...atHome],
      without(configStatus, countedPods),
    ],
    "without permits no right for them": [
      { settings: { rotationPermits: false } },
      [
        ...without(...permits),
        ...[ownLease, ["get patch", "/secrets", `${OPERATOR}-images ${OPERATOR}-tls`] as const],
      ],
      without(...permits),
    ],
    "with evictions those, and nothing else of pods": [
      { operator: { evictPods: true } },
      [...everywhere, ["create", "/pods/eviction"], ...atHome],
      [...everywhere, ["create", "/pods/eviction"]],
    ],
    "without roles nothing": [{ operator: { createRoles: false } }, [], []],
  };
  for (const [name, [values, home, shop]] of Object.entries(changes)) {
    test(name, async () => {
      const upgraded = await release.helm(["upgrade"], withValues(values));
      expect(upgraded).toMatchObject({ exitCode: 0 });
      // The authoriser learns of a change a moment after it is stored.
      const isLearnt = async () => {
        const found = await Promise.all([rightsIn(NAMESPACE), rightsIn("shop")]);
        return Bun.deepEquals(found.map(sorted), [home, shop].map(sorted)) || undefined;
      };
      const learnt = waitFor(isLearnt, { deadlineMs: 10_000, what: "the rights to change" });
      await learnt.catch(() => undefined);
      await expectRights(NAMESPACE, home);
      await expectRights("shop", shop);
    });
  }
});

const sorted = (rights: readonly Right[]) => rights.toSorted();

describe("the permissions of the operator's account", () => {
  beforeAll(async () => {
    await release.helm(["upgrade", "--reset-values"], withValues({}));
    await hasRights(operator);
    // For a moment after a definition was written, the server says 429.
    const path = "/apis/svc.internal/v1alpha1/svcconfigs";
    const isServed = async () =>
      (await askKubernetes(release.kube, { method: "GET", path })).status === 200 || undefined;
    await waitFor(isServed, { deadlineMs: 20_000, what: "SvcConfigs to be served" });
  });

  const secrets = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
  const byName = (name: string) => `?fieldSelector=metadata.name%3D${name}`;
  const OTHER = "other";
  const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: OTHER },
  };
  const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  const event = {
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "told" } },
    ...{ eventTime: "2026-01-01T00:00:00.000000Z", type: "Normal", reason: "Usable" },
    ...{ action: "Validate", note: "x", reportingController: "svc.internal/operator" },
    ...{ reportingInstance: "one" },
    regarding: {
      apiVersion: "svc.internal/v1alpha1",
      kind: "SvcConfig",
      name: "a",
      namespace: "shop",
    },
  };
  const cases: readonly (readonly [name: string, status: number, request: KubernetesRequest])[] = [
    ["reads its Secret", 200, { method: "GET", path: CERTIFICATE }],
    ["reads its Lease", 200, { method: "GET", path: LEASE }],
    ["reads its webhook configuration", 200, { method: "GET", path: CONFIGURATION }],
    ["lists pods of the cluster", 200, { method: "GET", path: "/api/v1/pods?limit=1" }],
    [
      "watches pods of the cluster",
      200,
      { method: "GET", path: "/api/v1/pods?watch=1&timeoutSeconds=1" },
    ],
    [
      "lists SvcConfigs of the cluster",
      200,
      { method: "GET", path: "/apis/svc.internal/v1alpha1/svcconfigs" },
    ],
    [
      "tells an event",
      201,
      { method: "POST", path: "/apis/events.k8s.io/v1/namespaces/shop/events", body: event },
    ],
    [
      "reads another Secret of its namespace",
      403,
      { method: "GET", path: `${secrets(NAMESPACE)}/pull` },
    ],
    ["lists the Secrets of its namespace", 403, { method: "GET", path: secrets(NAMESPACE) }],
    [
      "lists another Secret by name",
      403,
      { method: "GET", path: secrets(NAMESPACE) + byName("pull") },
    ],
    ["reads a Secret elsewhere", 403, { method: "GET", path: `${secrets("shop")}/pull` }],
    [
      "makes a Secret",
      403,
      { method: "POST", path: secrets(NAMESPACE), body: { metadata: { name: OTHER } } },
    ],
    ["deletes its Secret", 403, { method: "DELETE", path: CERTIFICATE }],
    [
      "makes a Lease, for permits",
      201,
      { method: "POST", path: leases, body: { metadata: { name: OTHER } } },
    ],
    ["deletes it when they are over", 200, { method: "DELETE", path: `${leases}/${OTHER}` }],
    [
      "makes a Lease elsewhere",
      403,
      {
        method: "POST",
        path: leases.replace(NAMESPACE, "shop"),
        body: { metadata: { name: OTHER } },
      },
    ],
    [
      "evicts a pod",
      403,
      { method: "POST", path: "/api/v1/namespaces/shop/pods/some/eviction", body: {} },
    ],
    [
      "makes a webhook configuration",
      403,
      { method: "POST", path: configurations, body: configuration },
    ],
    ["deletes its webhook configuration", 403, { method: "DELETE", path: CONFIGURATION }],
    [
      "reads another webhook configuration",
      403,
      { method: "GET", path: `${configurations}/${OTHER}` },
    ],
    [
      "reads one pod that is not there",
      404,
      { method: "GET", path: "/api/v1/namespaces/shop/pods/x" },
    ],
    ["makes a pod", 403, { method: "POST", path: "/api/v1/namespaces/shop/pods", body: {} }],
    ["reads a service account", 403, { method: "GET", path: `${account}/default` }],
    ["gets a token", 403, { method: "POST", path: `${account}/${OPERATOR}/token`, body: {} }],
    [
      "writes a SvcConfig",
      403,
      { method: "POST", path: "/apis/svc.internal/v1alpha1/namespaces/shop/svcconfigs", body: {} },
    ],
    [
      "reads roles",
      403,
      { method: "GET", path: "/apis/rbac.authorization.k8s.io/v1/clusterroles" },
    ],
    ["lists namespaces", 403, { method: "GET", path: "/api/v1/namespaces" }],
  ];
  for (const [name, status, request] of cases) {
    test(`${status < 300 ? "it" : "never:"} ${name}`, async () => {
      const reply = await askKubernetes(operator, request);
      expect({ status: reply.status, said: reply.body?.["message"] }).toMatchObject({ status });
    });
  }
});

test("a namespace that is not there yet keeps its Role, and so the release, from being made", async () => {
  const operatorOf = (namespaces: readonly string[]) => ({
    operator: { pullSecrets: { access: "namespaces", namespaces } },
  });
  const { exitCode, stderr } = await release.helm(["upgrade"], withValues(operatorOf(["late"])));
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('namespaces "late" not found');
  await makeNamespace(release.kube, "late");
  const again = await release.helm(["upgrade"], withValues(operatorOf(["late"])));
  expect(again).toMatchObject({ exitCode: 0 });
});
