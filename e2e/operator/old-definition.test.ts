import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { callKubernetes, waitFor } from "@svc/testing";
import { createPod, messageIn, podOf, wrappedIn } from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { deleteConfig, putConfig } from "./svc-configs.ts";

const TIMEOUT_MS = 180_000;
const svc = join(import.meta.dirname, "../../dist/bin/svc");
let operator: RunningOperator;

beforeAll(async () => {
  operator = await runningOperator();
  // As an older definition might be, or one that an administrator has changed.
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const value = { type: "object", properties: { spec: anything, status: anything } };
  await callKubernetes(operator.kube, {
    method: "PATCH",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/svcconfigs.svc.internal",
    body: [{ op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema", value }],
    contentType: "application/json-patch+json",
  });
  const isTaken = () =>
    putConfig(operator.kube, { name: "odd" }, { ebpf: "yes" }).then(
      () => true,
      () => false,
    );
  await waitFor(isTaken, { deadlineMs: 20_000, what: "the API server to take anything" });
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

test(
  "a SvcConfig that only the API server takes refuses the pods of its namespace by name, until it is mended",
  async () => {
    const pod = podOf({ "svc.internal/inject": "true", "svc.internal/config": "odd" });
    const refused = await createPod(operator.kube, pod);
    expect(refused.status).toBe(403);
    expect(messageIn(refused)).toContain(
      "SvcConfig shop/odd: must be readable: SvcConfig.spec.ebpf: must be true or false",
    );
    const metadata = {
      name: "web",
      namespace: "shop",
      annotations: Object(pod).metadata.annotations,
    };
    const other = { ...podOf(), metadata: { ...metadata, annotations: {} } };
    expect((await createPod(operator.kube, other)).status).toBe(201);
    const env = { KUBECONFIG: operator.kube.kubeconfig };
    const child = Bun.spawn([svc, "explain", "pod", "web", "-n", "shop"], { env });
    expect(await child.stdout.text()).toContain(
      "SvcConfig shop/odd, which cannot be read: SvcConfig.spec.ebpf: must be",
    );
    await deleteConfig(operator.kube, { name: "odd" });
    await putConfig(operator.kube, { name: "odd" });
    const isMended = async () => wrappedIn(await createPod(operator.kube, pod)).length === 1;
    await waitFor(isMended, { deadlineMs: 10_000, what: "it to be read" });
  },
  TIMEOUT_MS,
);
