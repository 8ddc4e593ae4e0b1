import { afterAll, beforeAll, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import { gateService, STORE } from "./store/store-objects.ts";
import { storyCluster } from "./story-cluster.ts";
import { type Pod, type PodName, readPod, waitForReady } from "./wait-for-pods.ts";
import { wrapperStatus } from "./wrapper-health.ts";

const cluster = storyCluster();
const namespace = "away";
let image: string;
let value: string;

beforeAll(async () => {
  ({ scratch: image } = await applicationImages(cluster.state));
  ({ value } = await injectionStage(cluster));
  await makeShop(cluster, namespace, { spec: { vaultAddress: STORE.gate } });
});

afterAll(async () => {
  await removeShop(cluster, namespace);
  await cluster.apply(gateService("open"));
});

/** It would end a container after two seconds in which the program does not answer. */
const livenessProbe = {
  httpGet: { path: "/healthz", port: 8080 },
  periodSeconds: 1,
  failureThreshold: 2,
};

const pod = { namespace, name: "patient" };
const annotations = { "renewal-interval": "1s", "stale-after": "2s" };

test("a liveness probe does not end a wrapper that waits for the vault", async () => {
  await cluster.apply(gateService("closed"));
  await cluster.apply(injectedPod({ ...pod, image, annotations, container: { livenessProbe } }));
  // The kubelet has looked five times, two seconds apart: the liveness probe would have acted.
  await hasWaited(pod, 5);
  expect(restartsOf(await readPod(cluster, pod))).toEqual([0]);
  await cluster.apply(gateService("open"));
  const ready = await waitForReady(cluster, pod);
  expect(await toldDigest(ready)).toBe(digestOf(value));
  expect(restartsOf(ready)).toEqual([0]);
});

test("a vault that goes away touches no running program", async () => {
  const before = await waitForReady(cluster, pod);
  await cluster.apply(gateService("closed"));
  await becomes(before, "stale");
  expect(await toldDigest(before)).toBe(digestOf(value));
  await cluster.apply(gateService("open"));
  await becomes(before, "ready");
  const after = await readPod(cluster, pod);
  expect(containersOf(after)).toEqual(containersOf(before));
  expect(restartsOf(after)).toEqual([0]);
});

async function hasWaited({ name }: PodName, times: number): Promise<void> {
  const field = `involvedObject.name=${name},reason=Unhealthy`;
  const words = ["events", "-n", namespace, "--field-selector", field];
  const isOften = async () => {
    const { items } = await cluster.get<{ items: readonly { count: number; message: string }[] }>(
      ...words,
    );
    const failures = items.filter(({ message }) => message.startsWith("Startup probe failed"));
    return failures.reduce((sum, { count }) => sum + count, 0) >= times;
  };
  await waitFor(isOften, { deadlineMs: 60_000, what: "the startup probe to fail" });
}

async function becomes(at: Pod, wanted: string): Promise<void> {
  const isSo = async () => (await wrapperStatus(at)) === wanted;
  await waitFor(isSo, { deadlineMs: 30_000, what: `the wrapper to be ${wanted}` });
}

function restartsOf({ status }: Pod): readonly number[] {
  return (status.containerStatuses ?? []).map(({ restartCount }) => restartCount);
}

function containersOf({ status }: Pod): readonly (string | undefined)[] {
  return (status.containerStatuses ?? []).map(({ containerID }) => containerID);
}
