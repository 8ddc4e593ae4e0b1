import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  type KubernetesObject,
  objectPath,
  startKubernetes,
  waitFor,
} from "@svc/testing";
import { neededValues, objectOf, parseManifest, renderChart } from "../harness/kubernetes/helm.ts";
import { podTemplate } from "../harness/kubernetes/job-parts.ts";

const TIMEOUT_MS = 240_000;
const NAMESPACE = "vault";
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/svc-vault-init`;
const started = new AsyncDisposableStack();
let kube: Kubernetes;

const manifest = (name: string) =>
  parseManifest(
    readFileSync(join(import.meta.dirname, "../../deploy/kubernetes", `${name}.yaml`), "utf8"),
  );
const plain = manifest("secretstore-init");

/** Values that bring out every part of the chart. */
const everything = {
  ...neededValues,
  imagePullSecrets: [{ name: "registry" }],
  ca: { configMap: "vault-ca" },
  clientCertificate: { secret: "client" },
  tokenReviewer: { secret: "reviewer" },
  serviceAccount: { name: "init", annotations: { "team.test/owner": "platform" } },
  podLabels: { team: "platform" },
  podAnnotations: { "team.test/page": "yes" },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "vault", operator: "Exists", effect: "NoSchedule" }],
  affinity: { podAntiAffinity: {} },
  extraVolumes: [{ name: "more", emptyDir: { medium: "Memory" } }],
  extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
  networkPolicy: { enabled: true, apiServer: [{ cidr: "192.0.2.10/32", port: 6443 }] },
};

/** The source of the objects. */
const sources: Readonly<Record<string, () => Promise<readonly KubernetesObject[]>>> = {
  "the plain manifest": async () => [...plain, ...manifest("secretstore-init-network-policy")],
  "the chart with the fewest values": () => renderChart(),
  "the chart with all of its parts": () => renderChart(everything),
  "the chart if the platform chooses the user": () =>
    renderChart({ ...neededValues, runAsUser: null }),
};

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const metadata = { name: NAMESPACE, labels };
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** Has the API server judge the creation of an object, without creating it. */
async function judge(object: KubernetesObject) {
  const path = (await objectPath(kube, object)).replace(/\/[^/]+$/, "");
  return askKubernetes(kube, {
    method: "POST",
    path: `${path}?dryRun=All&fieldValidation=Strict`,
    body: object,
  });
}

/** A pod as the Job's controller would make it. */
function podOf(job: KubernetesObject, more: object = {}): KubernetesObject {
  const { metadata, spec } = podTemplate(job);
  const named = { ...metadata, name: "init-x", namespace: NAMESPACE };
  return { apiVersion: "v1", kind: "Pod", metadata: named, spec: { ...spec, ...more } };
}

describe("strictly validated", () => {
  for (const [name, objects] of Object.entries(sources)) {
    test(`${name} is accepted`, async () => {
      const judged = (await objects()).map(async (object) => {
        const { status, body } = await judge(object);
        return [object.kind, status, body?.["message"]] as const;
      });
      const found = await Promise.all(judged);
      expect(found).toEqual(found.map(([kind]) => [kind, 201, undefined]));
      expect(found.length).toBeGreaterThanOrEqual(5);
    });
  }

  test("a field that is misspelt is refused", async () => {
    const job = objectOf(plain, "Job");
    const { status, body } = await judge({ ...job, spec: { ...Object(job["spec"]), ttl: 1 } });
    expect([status, body?.["message"]]).toEqual([
      400,
      expect.stringContaining('unknown field "spec.ttl"'),
    ]);
  });
});

describe("in a namespace that enforces the restricted standard", () => {
  for (const [name, objects] of Object.entries(sources)) {
    test(`a pod of ${name} is admitted`, async () => {
      const made = await objects();
      // The server looks for the account.
      await applyObject(kube, objectOf(made, "ServiceAccount"));
      const pod = podOf(objectOf(made, "Job"));
      const { status, body } = await askKubernetes(kube, {
        method: "POST",
        path: `${PODS}?dryRun=All&fieldValidation=Strict`,
        body: pod,
      });
      expect([status, body?.["message"]]).toEqual([201, undefined]);
    });
  }

  test("one on the host's network is not", async () => {
    await applyObject(kube, objectOf(plain, "ServiceAccount"));
    const pod = podOf(objectOf(plain, "Job"), { hostNetwork: true });
    const { status, body } = await judge(pod);
    expect([status, body?.["message"]]).toEqual([
      403,
      expect.stringContaining('violates PodSecurity "restricted'),
    ]);
  });
});

test("the plain manifest, applied again, leaves the keys alone", async () => {
  const apply = async () => {
    for (const object of plain.filter(({ kind }) => kind !== "Job")) {
      await applyObject(kube, object);
    }
  };
  await apply();
  const seen = await callKubernetes(kube, { method: "GET", path: SECRET });
  const data = { "root-token": btoa("a token") };
  await callKubernetes(kube, { method: "PUT", path: SECRET, body: { ...seen, data } });
  await apply();
  expect(await callKubernetes(kube, { method: "GET", path: SECRET })).toMatchObject({ data });
});

/** A right: a verb, and `group/resource/subresource:name`. Only the resource is required. */
type AskedInjection = readonly [verb: string, what: string, namespace?: string];

const may: readonly AskedInjection[] = [
  ["get", "secrets:svc-vault-init"],
  ["update", "secrets:svc-vault-init"],
  ["get", "pods"],
  ["list", "pods"],
];

const mayNot: readonly AskedInjection[] = [
  ...["create", "delete", "patch", "watch", "list"].map(
    (verb) => [verb, "secrets:svc-vault-init"] as const,
  ),
  ...["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"].map(
    (verb) => [verb, "secrets"] as const,
  ),
  ...["get", "update"].map((verb) => [verb, "secrets:vault-tls"] as const),
  ["get", "secrets:svc-vault-init", "default"],
  ...["watch", "create", "update", "patch", "delete"].map((verb) => [verb, "pods"] as const),
  ["list", "pods", "default"],
  ...["exec", "attach", "portforward", "proxy"].flatMap((part) =>
    ["get", "create"].map((verb) => [verb, `pods/${part}`] as const),
  ),
  ...["log", "ephemeralcontainers", "eviction"].flatMap((part) =>
    ["get", "update", "patch", "create"].map((verb) => [verb, `pods/${part}`] as const),
  ),
  ["create", "serviceaccounts/token"],
  ["create", "serviceaccounts/token:vault"],
  ["impersonate", "serviceaccounts:vault"],
  ["get", "serviceaccounts"],
  ["get", "configmaps"],
  ["list", "services"],
  ...["roles", "rolebindings"].flatMap((resource) =>
    ["get", "create", "update", "patch", "escalate", "bind"].map(
      (verb) => [verb, `rbac.authorization.k8s.io/${resource}`] as const,
    ),
  ),
  ["create", "rbac.authorization.k8s.io/clusterrolebindings", ""],
  ["create", "authentication.k8s.io/tokenreviews", ""],
  ["create", "batch/jobs"],
  ["create", "apps/statefulsets"],
  ["list", "namespaces", ""],
  ["list", "nodes", ""],
];

describe.each(["the plain manifest", "the chart with the fewest values"])(
  "the account of %s",
  (name) => {
    let account = "";
    beforeAll(async () => {
      const objects = (await sources[name]?.()) ?? [];
      account = objectOf(objects, "ServiceAccount").metadata.name;
      for (const kind of ["ServiceAccount", "Role", "RoleBinding"]) {
        await applyObject(kube, objectOf(objects, kind));
      }
      // The authoriser learns of a binding a moment after it is stored.
      const knows = async () => (await Promise.all(may.map(review))).includes(true);
      await waitFor(knows, { deadlineMs: 10_000, what: "the binding to have its effect" });
    });

    for (const wanted of may)
      test(`may ${wanted.join(" ")}`, () => expect(review(wanted)).resolves.toBe(true));
    for (const wanted of mayNot) {
      test(`may not ${wanted.join(" ")}`, () => expect(review(wanted)).resolves.toBe(false));
    }

    /** RBAC's answer for the account. */
    async function review([verb, what, namespace = NAMESPACE]: AskedInjection): Promise<unknown> {
      const user = `system:serviceaccount:${NAMESPACE}:${account}`;
      const groups = [
        ...["system:serviceaccounts", `system:serviceaccounts:${NAMESPACE}`],
        "system:authenticated",
      ];
      const resourceAttributes = { namespace, verb, ...resourceOf(what) };
      const body = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user, groups, resourceAttributes },
      };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const { status } = (await callKubernetes(kube, { method: "POST", path, body })) ?? {};
      return Object(status).allowed;
    }
  },
);

function resourceOf(what: string): object {
  const found = /^(?:([\w.]+\.k8s\.io|batch|apps)\/)?([a-z]+)(?:\/([a-z]+))?(?::(.+))?$/.exec(what);
  const [, group = "", resource = "", subresource = "", name = ""] = found ?? [];
  if (resource === "") throw new TypeError(`no resource: ${what}`);
  return { group, resource, subresource, name };
}
