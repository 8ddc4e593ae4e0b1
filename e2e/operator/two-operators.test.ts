import { afterAll, beforeAll, expect, test } from "bun:test";
import { applyObject, callKubernetes, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { askingPod, createPod, podOf, vaultAnnotations, wrappedIn } from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

let operator: RunningOperator;
beforeAll(async () => {
  const settings = { annotationPrefix: "secrets.test", keepStatus: false };
  operator = await runningOperator({ values: withValues({ settings }) });
}, 120_000);
afterAll(() => operator[Symbol.asyncDispose]());

test("an operator of another prefix leaves pods of ours alone, and does its own", async () => {
  const { kube } = operator;
  const own = Object.entries(vaultAnnotations).map(([name, text]) => [
    name.replace("svc.internal", "secrets.test"),
    text,
  ]);
  const asking = podOf({ "secrets.test/inject": "true", ...Object.fromEntries(own) });
  await waitFor(async () => wrappedIn(await createPod(kube, asking)).length === 1 || undefined, {
    deadlineMs: 20_000,
    what: "a pod of its prefix to be injected into",
  });
  const others = await createPod(kube, askingPod());
  expect([others.status, wrappedIn(others)]).toEqual([201, []]);
});

test("an operator that is not to keep the status leads, and writes none", async () => {
  const { kube } = operator;
  const metadata = { name: "default", namespace: "shop" };
  const spec = { vaultAddress: "https://vault.test:8200", vaultRole: "shop" };
  const apiVersion = "svc.internal/v1alpha1";
  await applyObject(kube, { apiVersion, kind: "SvcConfig", metadata, spec });
  const [replica] = operator.replicas;
  const metrics = async () => (await replica?.ask("/metrics"))?.text ?? "";
  await waitFor(async () => (await metrics()).includes("svc_operator_svcconfigs 1\n"), {
    deadlineMs: 20_000,
    what: "the SvcConfig to be known",
  });
  expect(await metrics()).toContain("svc_operator_leader 1\n");
  // A keeper would have written it half a second later.
  await Bun.sleep(1500);
  const path = `/apis/${apiVersion}/namespaces/shop/svcconfigs/default`;
  const stored = await callKubernetes(kube, { method: "GET", path });
  expect(Object(stored)["status"]).toBeUndefined();
});
