import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  createServiceAccountToken,
  freePort,
  kubeconfig,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import {
  CONFIGURATION,
  DEPLOYMENT,
  makeNamespace,
} from "../harness/kubernetes/operator-release.ts";
import { askingPod, createPod, podOf } from "./created-pods.ts";
import { runExplain } from "./run-explain.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 180_000;
const folder = temporaryFolder();
let operator: RunningOperator;

beforeAll(async () => {
  // A pod that asks is to be there without its wrapper.
  const webhook = { excludedNamespaces: ["left"], guard: false };
  operator = await runningOperator({ values: withValues({ webhook }) });
  await makeNamespace(operator.kube, "left");
  await setAvailable(1);
}, TIMEOUT_MS);
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** As the Deployment's controller would. */
async function setAvailable(availableReplicas: number): Promise<void> {
  await callKubernetes(operator.kube, {
    method: "PATCH",
    path: `${DEPLOYMENT}/status`,
    body: { status: { replicas: 1, readyReplicas: availableReplicas, availableReplicas } },
    contentType: "application/merge-patch+json",
  });
}

const explain = (words: readonly string[], config?: string) =>
  runExplain(config ?? operator.kube.kubeconfig, words);

function writeConfig(text: string): string {
  const path = join(folder.path, crypto.randomUUID());
  writeFileSync(path, text);
  return path;
}

async function putPod(name: string, pod: object, namespace = "shop"): Promise<void> {
  const { annotations, labels } = Object(pod).metadata;
  const made = { ...pod, metadata: { name, annotations, labels } };
  const { status, body } = await createPod(operator.kube, made, { namespace });
  expect([status, body["message"]]).toEqual([201, undefined]);
}

/** Creates a controller of pods like `pod`, with the other fields that its kind requires. */
async function putMaker(kind: string, name: string, pod: object): Promise<void> {
  const labels = { app: name };
  const { annotations } = Object(pod).metadata;
  const isBatch = kind === "CronJob";
  const spec = { ...Object(pod).spec, ...(isBatch && { restartPolicy: "Never" }) };
  const template = { metadata: { labels, annotations }, spec };
  await applyObject(operator.kube, {
    apiVersion: isBatch ? "batch/v1" : "apps/v1",
    kind,
    metadata: { name, namespace: "shop" },
    spec: isBatch
      ? { schedule: "@daily", jobTemplate: { spec: { template } } }
      : {
          selector: { matchLabels: labels },
          template,
          ...(kind === "StatefulSet" && { serviceName: name }),
        },
  });
}

const lacking = podOf({ "svc.internal/inject": "true" });

describe("a pod", () => {
  test("that was injected into, and that no node has started", async () => {
    await putPod("injected", askingPod());
    expect(await explain(["pod", "injected", "-n", "shop"])).toEqual({
      exitCode: 3,
      out: "Pod shop/injected was injected into, and its program does not run yet: it asked for it, and the operator did it\ncontainers with the wrapper:\n  app\nhow far it has come:\n  app: no node has started it\n",
      err: "",
    });
  });

  test("that does not ask: with how to ask", async () => {
    await putPod("plain", podOf());
    expect((await explain(["--namespace=shop", "po/plain"])).out).toBe(
      "Pod shop/plain was not injected into: it does not ask for it: neither an annotation nor a label svc.internal/inject is there\n",
    );
  });

  test("that says no", async () => {
    await putPod("refusing", askingPod({ "svc.internal/inject": "false" }));
    const { out } = await explain(["-n", "shop", "pod", "refusing"]);
    expect(out).toStartWith("Pod shop/refusing was not injected into: ");
    expect(out).not.toContain("neither an annotation");
  });

  test("in a namespace that is left out, with a name that is misspelt", async () => {
    await putPod("asking", askingPod(), "left");
    await putPod("misspelt", askingPod({ "svc.internal/vaultaddress": "x" }), "left");
    const asking = await explain(["pod", "asking", "-n", "left"]);
    const excluded =
      "namespace left is excluded by the namespaceSelector of webhook configuration svc-operator";
    expect(asking.out).toBe(
      `Pod left/asking was not injected into: it asks for it, and something was in the way\nin the way:\n  ${excluded}\n`,
    );
    expect(asking.exitCode).toBe(2);
    const misspelt = await explain(["pod", "misspelt", "-n", "left"]);
    expect(misspelt.out).toContain("did you mean svc.internal/vault-address?");
    expect(misspelt.out).toContain(excluded);
  });
});

describe("what makes pods", () => {
  for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "CronJob"]) {
    test(`${kind}: that are injected into, and that are refused`, async () => {
      const name = kind.toLowerCase();
      await putMaker(kind, name, askingPod());
      const found = (await explain([name, name, "-n", "shop"])).out;
      expect(found).toStartWith(
        `${kind} shop/${name} makes pods that are injected into: it asks for it\ncontainers with the wrapper:\n  app\n`,
      );
      const completes = "warnings:\n  container app: the work runs to completion, so";
      expect(found.includes(completes)).toBe(kind === "CronJob");
      await putMaker(kind, `bad-${name}`, lacking);
      const { out, exitCode } = await explain([`${name}/bad-${name}`, "-n", "shop"]);
      expect(exitCode).toBe(2);
      expect(out).toStartWith(`${kind} shop/bad-${name} makes pods that are refused: `);
      expect(out).toContain("svc.internal/vault-address: must be set");
    });
  }

  test("and could not: with its controller's error", async () => {
    await putMaker("Deployment", "failing", lacking);
    const message =
      'Error creating: admission webhook "pods.svc.internal" denied the request: cannot';
    const about = { namespace: "shop", kind: "ReplicaSet", name: "failing-5d9c" };
    await applyObject(operator.kube, {
      ...{ apiVersion: "v1", kind: "Event", metadata: { name: "failing.1", namespace: "shop" } },
      ...{ type: "Warning", reason: "FailedCreate", message, involvedObject: about },
    });
    const { out } = await explain(["deployment", "failing", "-n", "shop"]);
    expect(out).toContain(`pods that could not be made:\n  ${message}\n`);
  });

  test("of an image whose program has to be looked up", async () => {
    await putMaker("Deployment", "image", askingPod({}, { command: undefined }));
    const { out } = await explain(["deploy/image", "-n", "shop"]);
    expect(out).toContain(
      "not known from here:\n  the command of image registry.test/app:1: the operator has to ask its registry; --look-up-images asks from here\n",
    );
  });

  test("for programs", async () => {
    const { out } = await explain(["deployment", "deployment", "-n", "shop", "-o", "json"]);
    expect(JSON.parse(out)).toEqual({
      ...{ kind: "Deployment", namespace: "shop", name: "deployment", place: "spec.template" },
      verdict: "would-inject",
      ...{ reason: "it asks for it", exitStatus: 0, containers: ["app"] },
      ...{ warnings: [], obstacles: [], pods: [], open: [], failures: [] },
    });
  });
});

test(
  "a kind of an extension is found by the API server's discovery",
  async () => {
    const names = { plural: "rollouts", singular: "rollout", kind: "Rollout", shortNames: ["ro"] };
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const served = { name: "v1alpha1", served: true, storage: true };
    await applyObject(operator.kube, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: "rollouts.example.test" },
      spec: {
        ...{ group: "example.test", scope: "Namespaced", names },
        versions: [{ ...served, schema: { openAPIV3Schema: schema } }],
      },
    });
    const { metadata, spec } = Object(askingPod());
    const template = { metadata: { annotations: metadata.annotations }, spec };
    const rollout = (name: string, parts: object) =>
      askKubernetes(operator.kube, {
        ...{ method: "POST", path: "/apis/example.test/v1alpha1/namespaces/shop/rollouts" },
        body: {
          apiVersion: "example.test/v1alpha1",
          kind: "Rollout",
          metadata: { name },
          spec: parts,
        },
      });
    const isMade = async () => (await rollout("web", { blue: { template } })).status === 201;
    await waitFor(isMade, { deadlineMs: 60_000, what: "the kind to be served" });
    await rollout("empty", {});
    for (const kind of ["rollout", "ro", "rollouts.example.test"]) {
      const { out, exitCode } = await explain([kind, "web", "-n", "shop"]);
      expect(out).toStartWith(
        "Rollout shop/web (spec.blue.template) makes pods that are injected into: it asks for it\n",
      );
      expect(exitCode).toBe(0);
    }
    expect(await explain(["rollout/empty", "-n", "shop"])).toMatchObject({
      ...{ exitCode: 2, out: "" },
      err: expect.stringContaining(
        "Rollout shop/empty has no pod template that this command knows",
      ),
    });
  },
  TIMEOUT_MS,
);

describe("a user of svc explain", () => {
  test("finds the namespace of the kubeconfig's context", async () => {
    const text = kubeconfig(operator.kube).replace(
      "user: administrator",
      "namespace: shop\n    user: administrator",
    );
    const { out } = await explain(["pod", "injected"], writeConfig(text));
    expect(out).toStartWith("Pod shop/injected was injected into");
  });

  test("and may only read pods learns the unread objects, and gets an answer", async () => {
    const metadata = { name: "reader", namespace: "shop" };
    const api = "rbac.authorization.k8s.io";
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    const objects = [
      { apiVersion: "v1", kind: "ServiceAccount" },
      { apiVersion: `${api}/v1`, kind: "Role", rules },
      {
        ...{ apiVersion: `${api}/v1`, kind: "RoleBinding" },
        roleRef: { apiGroup: api, kind: "Role", name: "reader" },
        subjects: [{ kind: "ServiceAccount", ...metadata }],
      },
    ];
    for (const object of objects) await applyObject(operator.kube, { ...object, metadata });
    const token = await createServiceAccountToken(operator.kube, "shop", "reader");
    const config = writeConfig(kubeconfig({ ...operator.kube, token }));
    const read = async () => {
      const explained = await explain(["pod", "plain", "-n", "shop"], config);
      return explained.exitCode === 0 && explained;
    };
    const { out } = await waitFor(read, { deadlineMs: 20_000, what: "the right to be known" });
    expect(out).toContain("Pod shop/plain was not injected into: it does not ask for it");
    const open = out.split("not known from here:")[1];
    const all = [
      ...["list the webhook configurations: status 403", "read namespace shop", "list the events"],
      "the operator's flags: its defaults were taken, and so the prefix svc.internal",
      'in the namespace "shop"; this is judged as if there were none',
    ];
    for (const what of all) expect(open).toContain(what);
  });

  const rows: Readonly<Record<string, readonly [words: readonly string[], said: string]>> = {
    "for a pod that is not there names a place to look": [
      ["pod", "nowhere", "-n", "shop"],
      "svc: error: read Pod shop/nowhere: there is none\nsvc: hint: a pod that was refused was never there: explain the Deployment, StatefulSet or Job that makes it",
    ],
    "for a kind that makes no pods names kinds that do": [
      ["service", "x"],
      "of a kind that makes pods: Pod, ",
    ],
    "with a slip names the right word": [["deploymet", "x"], "did you mean deployment?"],
    "for nothing gives an example": [[], "for example svc explain pod"],
  };
  for (const [name, [words, said]] of Object.entries(rows)) {
    test(name, async () => {
      const explained = await explain(words);
      expect(explained).toMatchObject({ exitCode: 125, out: "" });
      expect(explained.err).toContain(said);
    });
  }

  test("without a cluster says so", async () => {
    const address = `https://127.0.0.1:${freePort()}`;
    const config = writeConfig(kubeconfig({ ...operator.kube, address }));
    const explained = await explain(["pod", "x"], config);
    expect(explained).toMatchObject({ exitCode: 125, out: "" });
    expect(explained.err).toContain(address);
    expect((await explain(["pod", "x"], "/nowhere")).err).toContain('none of "/nowhere" is there');
  });
});

describe("an operator", () => {
  test("of which no replica is available is in the way", async () => {
    await setAvailable(0);
    const { out } = await explain(["deployment", "deployment", "-n", "shop"]);
    await setAvailable(1);
    expect(out).toContain("makes pods that would be injected into: it asks for it\n");
    expect(out).toContain(
      "in the way:\n  no replica of the operator is available: until one is, pods that ask are refused\n",
    );
  });

  test("whose webhook has no CA bundle is, and one that came after the pod was", async () => {
    const { metadata: _, ...configuration } = Object(await operator.release.read(CONFIGURATION));
    const [webhook] = configuration.webhooks;
    // It would write the bundle again.
    for (const replica of [...operator.replicas]) await operator.kill(replica);
    await askKubernetes(operator.kube, { method: "DELETE", path: CONFIGURATION });
    const unasked = async () => {
      const made = {
        ...askingPod(),
        metadata: { ...Object(askingPod()).metadata, name: "old", generateName: undefined },
      };
      return (await createPod(operator.kube, made)).status === 201;
    };
    await waitFor(unasked, { deadlineMs: 10_000, what: "the webhook to be forgotten" });
    const absent = await explain(["pod", "old", "-n", "shop"]);
    expect(absent.out).toContain(
      "in the way:\n  no webhook of the operator is configured in this cluster: install its chart\n",
    );
    // Times of objects are whole seconds.
    const second = Math.floor(Date.now() / 1000);
    await waitFor(() => Date.now() / 1000 > second + 1, {
      deadlineMs: 2000,
      what: "the next second",
    });
    const { caBundle: __, ...clientConfig } = webhook.clientConfig;
    const webhooks = [{ ...webhook, clientConfig }];
    await applyObject(operator.kube, {
      ...configuration,
      metadata: { name: "svc-operator" },
      webhooks,
    });
    const { out } = await explain(["pod", "old", "-n", "shop"]);
    expect(out).toContain(
      "webhook configuration svc-operator has no CA bundle yet: until the operator has written it, pods that ask are refused",
    );
    expect(out).toContain("the pod is older than the webhook: create it again");
  });
});
