import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyObject, askKubernetes, type KubernetesReply, waitFor } from "@svc/testing";
import { NAMESPACE, withValues } from "../harness/kubernetes/operator-chart.ts";
import {
  install,
  makeNamespace,
  type OperatorRelease,
  operatorRelease,
} from "../harness/kubernetes/operator-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let release: OperatorRelease;

// No operator runs: the webhook cannot be reached.
beforeAll(async () => {
  release = started.use(await operatorRelease());
  await makeNamespace(release.kube, "calico-system");
  await makeNamespace(release.kube, "kube-system");
  // A request to the webhook takes this second, since no operator answers.
  const webhook = { timeoutSeconds: 1, excludedNamespaces: ["calico-system"] };
  await install(release, withValues({ webhook }));
  await waitFor(async () => (await create(asks)).status === 500 || undefined, {
    deadlineMs: 30_000,
    what: "the API server to ask the webhook",
  });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

const asks = { annotations: { "svc.internal/inject": "true" } };
const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** Creates a pod, without a trace: a dry run asks webhooks as any other does. */
async function create(metadata: object, namespace = "shop"): Promise<KubernetesReply> {
  const containers = [{ name: "app", image: "registry.test/app:1", securityContext: restricted }];
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const body = { metadata: { generateName: "app-", ...metadata }, spec: { containers } };
  return askKubernetes(release.kube, { method: "POST", path, body });
}

describe("while no operator answers", () => {
  const free: Readonly<Record<string, object>> = {
    "no annotations and no labels": {},
    "annotations and labels of others": {
      annotations: { "prometheus.io/scrape": "true", "a.b/c": "svc.internal/inject" },
      labels: { app: "web", "example.org/inject": "true" },
    },
    "the prefix without a slash": {
      annotations: { "svc.internal": "true", "svc.internals/inject": "true" },
      labels: { "svc.internal.example/inject": "true", "my.svc.internal/inject": "true" },
    },
    "no annotation, an empty map": { annotations: {}, labels: {} },
  };
  for (const [name, metadata] of Object.entries(free)) {
    test(`a pod with ${name} is created`, async () => {
      expect((await create(metadata)).status).toBe(201);
    });
  }

  const bound: Readonly<Record<string, object>> = {
    "the annotation": asks,
    "the label": { labels: { "svc.internal/inject": "true" } },
    "another label besides": { labels: { app: "web", "svc.internal/inject": "true" } },
    "a misspelt annotation": { annotations: { "svc.internal/injct": "true" } },
    "an annotation among others": { annotations: { a: "b", "svc.internal/vault-role": "web" } },
  };
  for (const [name, metadata] of Object.entries(bound)) {
    test(`a pod with ${name} is refused, and told which webhook it is`, async () => {
      const { status, body } = await create(metadata);
      expect(status).toBe(500);
      expect(body?.["message"]).toContain('failed calling webhook "pods.svc.internal"');
    });
  }

  for (const namespace of [NAMESPACE, "kube-system", "calico-system"]) {
    test(`pods of ${namespace} are always created`, async () => {
      expect((await create(asks, namespace)).status).toBe(201);
    });
  }

  test("a pod with as many annotations as there can be is judged within the API server's limits", async () => {
    // 256 KiB are all that the server takes.
    const many = Array.from({ length: 45_000 }, (_, index) => [`a${index.toString(36)}`, "x"]);
    expect((await create({ annotations: Object.fromEntries(many) })).status).toBe(201);
  });

  test("pods that are there can be changed and deleted", async () => {
    const metadata = { name: "quiet", namespace: "shop" };
    const spec = { containers: [{ name: "app", image: "registry.test/app:1" }] };
    await applyObject(release.kube, { apiVersion: "v1", kind: "Pod", metadata, spec });
    const asking = { ...metadata, ...asks };
    await applyObject(release.kube, { apiVersion: "v1", kind: "Pod", metadata: asking, spec });
    const path = "/api/v1/namespaces/shop/pods/quiet?gracePeriodSeconds=0";
    expect((await askKubernetes(release.kube, { method: "DELETE", path })).status).toBe(200);
  });
});

describe("after an upgrade", () => {
  const until = (metadata: object, wanted: number) =>
    waitFor(async () => (await create(metadata)).status === wanted || undefined, {
      deadlineMs: 20_000,
      what: "the API server to learn of the change",
    });

  test("to failurePolicy Ignore, pods that ask start without", async () => {
    const webhook = { timeoutSeconds: 1, failurePolicy: "Ignore" };
    expect(await release.helm(["upgrade"], withValues({ webhook }))).toMatchObject({ exitCode: 0 });
    await until(asks, 201);
  });

  test("to another prefix, that one counts", async () => {
    const settings = { annotationPrefix: "secrets.example" };
    const values = withValues({ webhook: { timeoutSeconds: 1 }, settings });
    expect(await release.helm(["upgrade"], values)).toMatchObject({ exitCode: 0 });
    await until({ annotations: { "secrets.example/inject": "true" } }, 500);
    expect((await create(asks)).status).toBe(201);
  });

  test("to an object selector, only pods with the label are asked about", async () => {
    const objectSelector = { matchLabels: { "svc.internal/inject": "true" } };
    const values = withValues({ webhook: { timeoutSeconds: 1, objectSelector } });
    expect(await release.helm(["upgrade"], values)).toMatchObject({ exitCode: 0 });
    await until({ labels: { "svc.internal/inject": "true" } }, 500);
    expect((await create(asks)).status).toBe(201);
  });
});
