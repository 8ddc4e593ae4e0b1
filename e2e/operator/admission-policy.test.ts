import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askKubernetes, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { GUARD, makeNamespace } from "../harness/kubernetes/operator-release.ts";
import { askingPod, createPod, messageIn, podOf, wrappedIn } from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 180_000;
let operator: RunningOperator;

const webhook = { excludedNamespaces: ["left"] };
beforeAll(async () => {
  operator = await runningOperator({ values: withValues({ webhook }) });
  await makeNamespace(operator.kube, "left");
  await makeNamespace(operator.kube, "kube-system");
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

const create = (pod: object, namespace = "shop") =>
  createPod(operator.kube, pod, { namespace, dryRun: true });

const labelled = (label: string): object => {
  const pod = Object(podOf());
  return { ...pod, metadata: { ...pod.metadata, labels: { "svc.internal/inject": label } } };
};

/** An API server takes a moment to learn of policies and webhooks. */
async function until(pod: object, status: number): Promise<void> {
  await waitFor(async () => (await create(pod)).status === status, {
    deadlineMs: 20_000,
    what: `pods to be answered with ${status}`,
  });
}

const free: Readonly<Record<string, readonly [pod: object, namespace?: string]>> = {
  "a pod that says nothing": [podOf()],
  "a pod that says no": [askingPod({ "svc.internal/inject": "false" })],
  "a pod whose label says no": [labelled("false")],
  "a pod of a namespace that is left out": [askingPod(), "left"],
  "a pod of kube-system": [askingPod(), "kube-system"],
};

describe("while the operator is there", () => {
  test("pods that ask are injected into, sidecars and init containers alone as well", async () => {
    const created = await create(askingPod());
    expect([created.status, wrappedIn(created)]).toEqual([201, ["app"]]);
    const { metadata, spec } = Object(askingPod({ "svc.internal/containers": "proxy" }));
    const initContainers = [
      { name: "proxy", image: "proxy:1", command: ["/proxy"], restartPolicy: "Always" },
    ];
    expect((await create({ metadata, spec: { ...spec, initContainers } })).status).toBe(201);
  });

  for (const [name, [pod, namespace]] of Object.entries(free)) {
    test(`${name} is created`, async () => {
      expect((await create(pod, namespace)).status).toBe(201);
    });
  }
});

describe("after helm uninstall", () => {
  beforeAll(async () => {
    const { exitCode, stderr } = await operator.release.helm(["uninstall"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
    await until(askingPod(), 403);
  }, TIMEOUT_MS);

  for (const [name, pod] of [
    ["by annotation", askingPod()],
    ["by label", labelled("true")],
    ["with a marker and no wrapper", askingPod({ "svc.internal/injected": "{}" })],
  ] as const) {
    test(`a pod that asks ${name} is refused, with what to do`, async () => {
      const created = await create(pod);
      expect(created.status).toBe(403);
      expect(messageIn(created)).toContain(
        "the pod asks for its secrets (svc.internal/inject) and has no wrapper, because the operator was not asked",
      );
      expect(messageIn(created)).toContain("ValidatingAdmissionPolicyBinding svc-operator");
    });
  }

  for (const [name, [pod, namespace]] of Object.entries(free)) {
    test(`${name} is created`, async () => {
      expect((await create(pod, namespace)).status).toBe(201);
    });
  }

  test("the chart can be installed again, and an operator that lets pods in has them warned of", async () => {
    const values = withValues({ webhook: { ...webhook, failurePolicy: "Ignore" } });
    const { exitCode, stderr } = await operator.release.helm(["install"], values);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
    for (const replica of [...operator.replicas]) await operator.kill(replica);
    await until(askingPod(), 201);
    await operator.release.helm(["uninstall"]);
  });

  test("pods that ask start without their secrets once the policy is deleted", async () => {
    const values = withValues({ webhook });
    await operator.release.helm(["install"], values);
    await operator.release.helm(["uninstall"]);
    await until(askingPod(), 403);
    for (const path of GUARD.toReversed()) {
      const { status } = await askKubernetes(operator.kube, { method: "DELETE", path });
      expect(status).toBe(200);
    }
    await until(askingPod(), 201);
  });
});
