import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyObject, callKubernetes, waitFor } from "@svc/testing";
import { makeNamespace } from "../harness/kubernetes/operator-release.ts";
import { askingPod, type CreatedPod, createPod, podOf, wrappedIn } from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
const needs = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } };
const fit = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  runAsUser: 1000,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

let operator: RunningOperator;
beforeAll(async () => {
  operator = await runningOperator();
  const { kube } = operator;
  await makeNamespace(kube, "ranged");
  await applyObject(kube, {
    ...{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds", namespace: "ranged" } },
    spec: {
      limits: [
        {
          type: "Container",
          min: { cpu: "50m", memory: "40Mi" },
          max: { cpu: "2", memory: "128Mi" },
          default: { cpu: "1", memory: "128Mi" },
          defaultRequest: { cpu: "60m", memory: "50Mi" },
        },
      ],
    },
  });
  await makeNamespace(kube, "counted");
  const hard = { "limits.cpu": "20", "limits.memory": "4Gi", "requests.cpu": "10", pods: "50" };
  const metadata = { name: "quota", namespace: "counted" };
  await applyObject(kube, { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard } });
  // A controller would do this; without it the quota is not known to admission.
  await callKubernetes(kube, {
    method: "PATCH",
    path: "/api/v1/namespaces/counted/resourcequotas/quota/status",
    body: {
      status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, "0"])) },
    },
    contentType: "application/merge-patch+json",
  });
  await makeNamespace(kube, "restricted", restricted);
}, 120_000);
afterAll(() => operator[Symbol.asyncDispose]());

/** The API server learns of a namespace's bounds a moment after they are stored. */
async function created(namespace: string, container: object): Promise<CreatedPod> {
  return createPod(operator.kube, askingPod({}, container), { namespace });
}

async function expectRefused(namespace: string, container: object, message: string) {
  const refused = await waitFor(
    async () => {
      const pod = await createPod(operator.kube, podOf({}, container), { namespace, dryRun: true });
      return pod.status === 201 ? undefined : pod;
    },
    { deadlineMs: 10_000, what: `the bounds of ${namespace}` },
  );
  expect(String(refused.body["message"])).toContain(message);
}

describe("a pod that the namespace's bounds allow is allowed with the wrapper in it:", () => {
  test("a LimitRange, the application says its needs", async () => {
    const tooLarge = { resources: { limits: { memory: "256Mi" } } };
    await expectRefused("ranged", tooLarge, "maximum memory usage per Container is 128Mi");
    const pod = await created("ranged", { resources: needs });
    expect(pod).toMatchObject({ status: 201 });
    expect(wrappedIn(pod)).toEqual(["app"]);
  });

  test("a LimitRange, the application says nothing and has the defaults", async () => {
    const pod = await created("ranged", {});
    expect(pod).toMatchObject({ status: 201 });
    expect(wrappedIn(pod)).toEqual(["app"]);
  });

  test("a ResourceQuota that wants limits of every container", async () => {
    await expectRefused("counted", {}, "must specify limits.cpu");
    const pod = await created("counted", { resources: needs });
    expect(pod).toMatchObject({ status: 201 });
    expect(wrappedIn(pod)).toEqual(["app"]);
  });

  test("the pod security standard restricted", async () => {
    await expectRefused("restricted", {}, "violates PodSecurity");
    const pod = await created("restricted", { securityContext: fit });
    expect(pod).toMatchObject({ status: 201 });
    expect(wrappedIn(pod)).toEqual(["app"]);
  });
});
