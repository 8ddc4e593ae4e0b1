import { afterAll, beforeAll, expect, test } from "bun:test";
import { callBao, waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, OPERATOR, removeShop } from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import type { OpenStore } from "./store/open-store.ts";
import { STORE } from "./store/store-objects.ts";
import { storyCluster } from "./story-cluster.ts";
import { isReady, type Pod, readPod } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "rollout";
const PODS = 50;
/** A busy machine with two processors starts fifty pods in some minutes. */
const DEADLINE_MS = 120_000;
let image: string;
let store: OpenStore;
let value: string;
/** The uid of the store's pod that was killed. */
let killed: string | undefined;

beforeAll(async () => {
  ({ scratch: image } = await applicationImages(cluster.state));
  ({ store, value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

test("fifty pods all get their secrets while the operator and the store's leader are killed", async () => {
  const labels = { app: "many" };
  const template = injectedTemplate({ namespace, name: "many", image }, labels);
  await cluster.apply({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name: "many" } },
    spec: { replicas: PODS, selector: { matchLabels: labels }, template },
  });
  await thereAre(5);
  await kill(OPERATOR.namespace, await operatorPods());
  await thereAre(10);
  const leader = await leaderOf(store);
  killed = (await readPod(cluster, { namespace: STORE.namespace, name: leader })).metadata.uid;
  await kill(STORE.namespace, [leader]);
  await thereAre(20);
  await kill(OPERATOR.namespace, (await operatorPods()).slice(0, 1));
  await thereAre(PODS);

  const pods = await podsOf(namespace);
  expect(pods).toHaveLength(PODS);
  expect(pods.filter((pod) => !hasWrapper(pod)).map(({ metadata }) => metadata.name)).toEqual([]);
  const digests = await Promise.all(pods.map(toldDigest));
  expect(new Set(digests)).toEqual(new Set([digestOf(value)]));
});

test("the store has a leader, and the killed pod is unsealed again by the CronJob", async () => {
  const isWhole = async () => {
    const pods = await podsOf(STORE.namespace, "component=server");
    const isNew = pods.every(({ metadata }) => metadata.uid !== killed);
    return isNew && pods.length === STORE.pods.length && pods.every(isReady);
  };
  const what = "the store's pods to be ready";
  await waitFor(isWhole, { deadlineMs: DEADLINE_MS, what });
  const names: readonly string[] = STORE.pods;
  expect(names).toContain(await leaderOf(store));
});

test("the operator has both of its pods again", async () => {
  const words = ["rollout", "status", `deployment/${OPERATOR.deployment}`, "--timeout=5m"];
  await cluster.kubectl(...words, "-n", OPERATOR.namespace);
  expect(await operatorPods()).toHaveLength(2);
});

async function podsOf(place: string, selector = ""): Promise<readonly Pod[]> {
  const words = ["pods", "-n", place, `--selector=${selector}`];
  const { items } = await cluster.get<{ items: readonly Pod[] }>(...words);
  return items;
}

async function operatorPods(): Promise<readonly string[]> {
  const pods = await podsOf(OPERATOR.namespace, "app.kubernetes.io/component=operator");
  return pods.map(({ metadata }) => metadata.name);
}

/** As a node that is lost: no pod is asked to end. */
async function kill(place: string, names: readonly string[]): Promise<void> {
  await cluster.kubectl("delete", "pod", ...names, "-n", place, "--force", "--grace-period=0");
}

async function thereAre(count: number): Promise<void> {
  const isSo = async () => {
    await Bun.sleep(500);
    return (await podsOf(namespace)).filter(isReady).length >= count;
  };
  try {
    await waitFor(isSo, { deadlineMs: DEADLINE_MS, what: `${count} pods to be ready` });
  } catch (error) {
    const words = ["get", "pods,replicasets,events", "-n", namespace];
    throw new TypeError(`${String(error)}\n${await cluster.kubectl(...words)}`);
  }
}

async function leaderOf(target: OpenStore): Promise<string> {
  const isChosen = async () => {
    const answer = await callBao(target, { method: "GET", path: "sys/leader" }).catch(() => null);
    // While it is elected the answer names none.
    const [, pod] = /^https:\/\/([^.]+)\./.exec(String(answer?.["leader_address"])) ?? [];
    return pod;
  };
  return waitFor(isChosen, { deadlineMs: 30_000, what: "the store to have a leader" });
}

function hasWrapper({ spec }: Pod): boolean {
  return spec.containers.every(({ command = [] }) => command[0] === "/opt/svc/bin/svc-wrapper");
}
