import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyObject, callKubernetes } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { DEPLOYMENT } from "../harness/kubernetes/operator-release.ts";
import { askingPod, createPod, podOf } from "./created-pods.ts";
import { runExplain } from "./run-explain.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 180_000;
let operator: RunningOperator;

beforeAll(async () => {
  operator = await runningOperator({ values: withValues({}) });
  await setStatus(DEPLOYMENT, { replicas: 1, readyReplicas: 1, availableReplicas: 1 });
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

/** As the kubelet, or a controller, would. */
async function setStatus(path: string, status: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  const body = { status };
  await callKubernetes(operator.kube, {
    ...{ method: "PATCH", path: `${path}/status`, body, contentType },
  });
}

async function putPod(name: string, status: object, pod = askingPod()): Promise<void> {
  const { annotations } = Object(pod).metadata;
  const made = { ...pod, metadata: { name, annotations, labels: { app: "web" } } };
  expect((await createPod(operator.kube, made)).status).toBe(201);
  await setStatus(`/api/v1/namespaces/shop/pods/${name}`, status);
}

const explain = (...words: string[]) => runExplain(operator.kube.kubeconfig, words);
const startedAt = "2026-11-22T12:00:00Z";
const running = { running: { startedAt } };
const refused = "VAULT_FAILED: log in as role api: status 403\nhint: ask for the role";
const statusOf = (container: object) => ({
  phase: "Running",
  containerStatuses: [
    { name: "app", image: "app", imageID: "", ready: false, restartCount: 0, ...container },
  ],
});

describe("a pod that was injected into", () => {
  test("and whose program runs: status 0", async () => {
    await putPod("runs", statusOf({ state: running, started: true, ready: true }));
    const { exitCode, out } = await explain("pod", "runs", "-n", "shop");
    expect([exitCode, out]).toEqual([
      0,
      "Pod shop/runs was injected into: it asked for it, and the operator did it\ncontainers with the wrapper:\n  app\nhow far it has come:\n  app: it runs\n",
    ]);
  });

  test("and whose wrapper waits for the vault: status 3", async () => {
    await putPod("waits", statusOf({ state: running, started: false }));
    const { exitCode, out } = await explain("pod", "waits", "-n", "shop");
    expect(exitCode).toBe(3);
    expect(out).toContain("  app: it has started, and its program has not\n");
  });

  test("and whose wrapper was refused by the vault: status 4, with the wrapper's words", async () => {
    const end = { terminated: { exitCode: 125, reason: "Error", message: refused } };
    const waiting = { waiting: { reason: "CrashLoopBackOff", message: "back-off" } };
    await putPod("fails", statusOf({ state: waiting, lastState: end, restartCount: 4 }));
    const { exitCode, out } = await explain("pod", "fails", "-n", "shop");
    expect(exitCode).toBe(4);
    expect(out).toStartWith("Pod shop/fails was injected into, and its program does not run: ");
    expect(out).toContain(
      "how far it has come:\n  app: its wrapper ended with 125; started again 4 times, and waits for the next time\n    VAULT_FAILED: log in as role api: status 403\n    hint: ask for the role\n",
    );
  });
});

test("a deployment ends with the story of its pods, the worst first", async () => {
  const { spec } = Object(askingPod());
  const { annotations } = Object(askingPod()).metadata;
  const labels = { app: "web" };
  await applyObject(operator.kube, {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec },
    },
  });
  await putPod("bare", {}, podOf());
  const { exitCode, out } = await explain("deployment/web", "-n", "shop");
  expect(exitCode).toBe(4);
  expect(out).toStartWith(
    "Deployment shop/web makes pods that are injected into, and programs do not run: it asks for it\n",
  );
  const story = out.slice(out.indexOf("how far its pods have come:"));
  expect(story).toContain("  fails: fails\n    app: its wrapper ended with 125;");
  const places = ["  fails:", "  waits:", "  bare: it has no wrapper: create it again", "  runs:"];
  const found = places.map((place) => story.indexOf(place));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found).not.toContain(-1);
});

test("the command of an image is known if a pod runs it", async () => {
  const labels = { app: "image" };
  const { annotations } = Object(askingPod()).metadata;
  const image = "registry.test/app:1";
  const { spec } = Object(askingPod({}, { image, command: undefined }));
  await applyObject(operator.kube, {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: { name: "image", namespace: "shop" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec },
    },
  });
  const before = await explain("deployment/image", "-n", "shop");
  expect(before.out).toContain(`not known from here:\n  the command of image ${image}: `);
  // As the operator makes it of the template once the registry has told it the command.
  const made = { ...askingPod({}, { image, command: ["/srv/$app"] }) };
  const metadata = { name: "image-1", annotations, labels };
  expect((await createPod(operator.kube, { ...made, metadata })).status).toBe(201);
  const status = statusOf({ state: running, started: true, ready: true });
  await setStatus("/api/v1/namespaces/shop/pods/image-1", status);
  const { exitCode, out } = await explain("deployment/image", "-n", "shop");
  expect(out).toContain("  image-1: runs\n".trimEnd());
  expect(out).not.toContain("not known from here");
  expect(exitCode).toBe(0);
});
