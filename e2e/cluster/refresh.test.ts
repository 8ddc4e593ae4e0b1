import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { canary, waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import { tryTool } from "./run-tool.ts";
import type { OpenStore } from "./store/open-store.ts";
import { writeWhenLed } from "./store/write-when-led.ts";
import { storyCluster } from "./story-cluster.ts";
import { isReady, type Pod } from "./wait-for-pods.ts";

const svc = join(import.meta.dirname, "../../dist/bin/svc");
const cluster = storyCluster();
const namespace = "refresh";
const name = "web";
const [first, second, third] = [canary(), canary(), canary()];
let store: OpenStore;

beforeAll(async () => {
  const { alpine: image } = await applicationImages(cluster.state);
  ({ store } = await injectionStage(cluster));
  await makeShop(cluster, namespace, { spec: { secretPaths: ["secret/data/refreshed"] } });
  await writeWhenLed(store, "secret/data/refreshed", { password: first });
  const labels = { app: name };
  // By themselves they would look in an hour, and the operator is not to tell them.
  const container = { env: [{ name: "SVC_HINTS", value: "false" }] };
  const annotations = {
    ...{ "renewal-interval": "1h", "rotation-splay": "0s", "rotation-min-interval": "0s" },
  };
  const template = injectedTemplate({ namespace, name, image, annotations, container }, labels);
  await cluster.apply({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name } },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  await waitFor(async () => (await pods()).filter(isReady).length === 2, {
    deadlineMs: 120_000,
    what: "the two pods to be ready",
  });
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

test("svc refresh ends once each replica has the new value", async () => {
  await writeWhenLed(store, "secret/data/refreshed", { password: second });
  const refreshed = await refresh("--timeout=4m");
  expect(refreshed).toMatchObject({ exitCode: 0 });
  expect(refreshed.stdout).toContain("Deployment refresh/web: 2 of 2 have the newest values");
  for (const { metadata } of await pods()) {
    expect((await logOf(metadata.name)).replaceAll(second, "second")).toContain("start second");
  }
  expect(refreshed.stdout + refreshed.stderr).not.toContain(second);
}, 300_000);

test("svc status says who has which version", async () => {
  const look = (...words: readonly string[]) => tryTool([svc, "status", "-n", namespace, ...words]);
  const all = await look(`deployment/${name}`);
  expect(all).toMatchObject({ exitCode: 0 });
  expect(all.stdout).toMatch(
    /^refresh\/deployment\/web +2 +2\/2 +inject +\d+ +secret\/data\/refreshed +2 /m,
  );
  const holders = await look("--path=secret/data/refreshed");
  expect(holders.stdout).toContain("2 of 2 programs have version 2 of secret/data/refreshed");
  expect(all.stdout + holders.stdout).not.toContain(second);
});

test("a changed annotation has each replica check by itself", async () => {
  await writeWhenLed(store, "secret/data/refreshed", { password: third });
  const words = ["annotate", "pods", "-n", namespace, `--selector=app=${name}`, "--overwrite"];
  await cluster.kubectl(...words, "svc.internal/refresh=now");
  for (const { metadata } of await pods()) {
    const haveIt = async () => (await logOf(metadata.name)).includes(`start ${third}`);
    await waitFor(haveIt, { deadlineMs: 180_000, what: `${metadata.name} to have the value` });
  }
}, 400_000);

function logOf(pod: string): Promise<string> {
  return cluster.kubectl("logs", pod, "-n", namespace, "-c", "app");
}

function refresh(...words: readonly string[]) {
  return tryTool([svc, "refresh", `deployment/${name}`, "-n", namespace, ...words]);
}

async function pods(): Promise<readonly Pod[]> {
  const words = ["pods", "-n", namespace, `--selector=app=${name}`];
  return (await cluster.get<{ items: readonly Pod[] }>(...words)).items;
}
