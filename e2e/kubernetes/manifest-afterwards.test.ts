import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  type KubernetesObject,
  startKubernetes,
  waitFor,
} from "@svc/testing";
import { neededValues, renderChart } from "../harness/kubernetes/helm.ts";
import { podTemplate } from "../harness/kubernetes/job-parts.ts";

const TIMEOUT_MS = 240_000;
const NAMESPACE = "vault";
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let objects: readonly KubernetesObject[] = [];

/** With all that works after the first run, or when it is repeated. */
const values = {
  ...neededValues,
  settings: { ...neededValues.settings, resetUnfinished: true, podPrefix: "bao-openbao" },
  unseal: { enabled: true },
};

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const metadata = { name: NAMESPACE, labels };
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata });
  objects = await renderChart(values);
  for (const object of objects) await applyObject(kube, object);
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** The template of a Job, wherever it is. */
function jobIn({ spec, ...object }: KubernetesObject): KubernetesObject {
  return { ...object, spec: Object(spec).jobTemplate?.spec ?? spec };
}

describe("in a namespace that enforces the restricted standard", () => {
  test.each(["Job", "CronJob"])("a pod of the %s is admitted", async (kind) => {
    const object = objects.find((it) => it.kind === kind);
    if (object === undefined) throw new TypeError(`no ${kind}`);
    const { metadata, spec } = podTemplate(jobIn(object));
    const named = { ...metadata, name: "x", namespace: NAMESPACE };
    const { status, body } = await askKubernetes(kube, {
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All&fieldValidation=Strict`,
      body: { apiVersion: "v1", kind: "Pod", metadata: named, spec },
    });
    expect([status, body?.["message"]]).toEqual([201, undefined]);
  });
});

type AskedInjection = readonly [verb: string, resource: string, name: string];

const first = "bao-openbao-0";
const claims = "persistentvolumeclaims";

const rights: Readonly<
  Record<string, { may: readonly AskedInjection[]; mayNot: readonly AskedInjection[] }>
> = {
  "svc-secretstore": {
    may: [
      ["delete", "pods", first],
      ["get", claims, `data-${first}`],
      ["delete", claims, `data-${first}`],
    ],
    mayNot: [
      ["delete", "pods", "bao-openbao-1"],
      ["delete", claims, "data-bao-openbao-1"],
      ["delete", claims, `audit-${first}`],
      ["list", claims, ""],
      ["create", "secrets", ""],
    ],
  },
  "svc-secretstore-unseal": {
    may: [
      ["get", "secrets", "svc-vault-init"],
      ["list", "pods", ""],
    ],
    mayNot: [
      ["update", "secrets", "svc-vault-init"],
      ["get", "secrets", "vault-tls"],
      ["delete", "pods", first],
      ["get", claims, `data-${first}`],
    ],
  },
};

describe.each(Object.keys(rights))("the account %s", (account) => {
  const { may = [], mayNot = [] } = rights[account] ?? {};

  beforeAll(async () => {
    // The authoriser learns of a binding a moment after it is stored.
    const knows = async () => (await Promise.all(may.map(review))).every(Boolean);
    await waitFor(knows, { deadlineMs: 10_000, what: "the binding to have its effect" });
  });

  test.each(may.map((wanted) => [wanted.join(" "), wanted] as const))(
    "may %s",
    async (_, wanted) => {
      expect(await review(wanted)).toBe(true);
    },
  );
  test.each(mayNot.map((wanted) => [wanted.join(" "), wanted] as const))(
    "may not %s",
    async (_, wanted) => {
      expect(await review(wanted)).toBe(false);
    },
  );

  async function review([verb, resource, name]: AskedInjection): Promise<boolean> {
    const user = `system:serviceaccount:${NAMESPACE}:${account}`;
    const resourceAttributes = { namespace: NAMESPACE, verb, resource, name };
    const apiVersion = "authorization.k8s.io/v1";
    const body = { apiVersion, kind: "SubjectAccessReview", spec: { user, resourceAttributes } };
    const path = `/apis/${apiVersion}/subjectaccessreviews`;
    const { status } = (await callKubernetes(kube, { method: "POST", path, body })) ?? {};
    return Object(status).allowed === true;
  }
});

test("the Job and the CronJob are told apart by a label, and let out by one network policy", async () => {
  const apiServer = [{ cidr: "192.0.2.10/32", port: 6443 }];
  const made = await renderChart({ ...values, networkPolicy: { enabled: true, apiServer } });
  const policy = made.find(({ kind }) => kind === "NetworkPolicy");
  expect(Object(policy?.["spec"]).podSelector.matchLabels).toEqual({
    "app.kubernetes.io/name": "svc-secretstore",
    "app.kubernetes.io/instance": "svc-secretstore",
  });
  const components = made
    .filter(({ kind }) => kind === "Job" || kind === "CronJob")
    .map((object) => Object(podTemplate(jobIn(object)).metadata).labels);
  expect(components.map((labels) => labels["app.kubernetes.io/component"]).toSorted()).toEqual([
    ...["init", "unseal"],
  ]);
});
