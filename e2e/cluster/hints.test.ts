import { afterAll, beforeAll, expect, test } from "bun:test";
import { canary, waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import type { OpenStore } from "./store/open-store.ts";
import { writeWhenLed } from "./store/write-when-led.ts";
import { storyCluster } from "./story-cluster.ts";
import type { Pod } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "hints";
const name = "web";
const path = "secret/data/hinted";
const first = canary();
let store: OpenStore;

beforeAll(async () => {
  const { alpine: image } = await applicationImages(cluster.state);
  ({ store } = await injectionStage(cluster));
  await makeShop(cluster, namespace, { spec: { secretPaths: [path] } });
  await writeWhenLed(store, path, { password: first });
  const labels = { app: name };
  // By themselves they would look in an hour.
  const annotations = {
    ...{ "renewal-interval": "1h", "rotation-splay": "0s", "rotation-min-interval": "0s" },
    ...{ "rotation-max-unavailable": "100%" },
  };
  const template = injectedTemplate({ namespace, name, image, annotations }, labels);
  await cluster.apply({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name } },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

test("a changed secret arrives in each replica by a hint of the operator", async () => {
  await eachLogs("the operator says hints", "to get hints");
  const second = canary();
  await writeWhenLed(store, path, { password: second });
  const beganMs = performance.now();
  await eachLogs(`start ${second}`, "to have the new value");
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  process.stderr.write(`hints: two replicas had the new value after ${seconds} s\n`);
  for (const log of await logs()) expect(log).not.toContain("could not be checked");
}, 600_000);

async function eachLogs(text: string, what: string): Promise<void> {
  const isThere = async () => {
    const all = await logs();
    return all.length === 2 && all.every((log) => log.includes(text));
  };
  await waitFor(isThere, { deadlineMs: 240_000, what: `both replicas ${what}` });
}

async function logs(): Promise<readonly string[]> {
  const words = ["pods", "-n", namespace, `--selector=app=${name}`];
  const { items } = await cluster.get<{ items: readonly Pod[] }>(...words);
  return Promise.all(
    items.map(async ({ metadata }) => {
      const read = await cluster.tryKubectl("logs", metadata.name, "-n", namespace, "-c", "app");
      return read.stdout;
    }),
  );
}
