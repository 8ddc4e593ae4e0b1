import { afterAll, beforeAll, expect, test } from "bun:test";
import { canary, waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import type { OpenStore } from "./store/open-store.ts";
import { writeWhenLed } from "./store/write-when-led.ts";
import { storyCluster } from "./story-cluster.ts";
import { readPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "rotation";
const [first, second] = [canary(), canary()];
const modes = ["restart", "sighup", "none"] as const;
let store: OpenStore;

beforeAll(async () => {
  const { alpine: image } = await applicationImages(cluster.state);
  ({ store } = await injectionStage(cluster));
  await makeShop(cluster, namespace, { spec: { secretPaths: ["secret/data/rotated"] } });
  await writeWhenLed(store, "secret/data/rotated", { password: first });
  const soon = {
    "renewal-interval": "1s",
    "rotation-splay": "0s",
    "rotation-min-interval": "0s",
  };
  const pods = modes.map((rotation) =>
    injectedPod({ namespace, name: rotation, image, annotations: { ...soon, rotation } }),
  );
  await cluster.apply(...pods);
  for (const name of modes) await waitForReady(cluster, { namespace, name });
  await writeWhenLed(store, "secret/data/rotated", { password: second });
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

test("restart: the program is started again with the new value, in the same container", async () => {
  await says("restart", "start second");
  expect(await linesOf("restart")).toEqual(["start first", "term -", "start second"]);
  await neverRestarted("restart");
});

test("sighup: the running program finds the new value when the signal comes", async () => {
  await says("sighup", "hangup second");
  expect(await linesOf("sighup")).toEqual(["start first", "hangup second"]);
  await neverRestarted("sighup");
});

test("none: the program keeps its value while others have the new one", async () => {
  await says("none", "start first");
  await says("restart", "start second");
  expect(await linesOf("none")).toEqual(["start first"]);
  await neverRestarted("none");
});

async function says(name: string, line: string): Promise<void> {
  const isThere = async () => (await linesOf(name)).includes(line);
  await waitFor(isThere, { deadlineMs: 30_000, what: `${name} to get the new value` });
}

/** The program's output, with names for the values. Lines of the wrapper are JSON. */
async function linesOf(name: string): Promise<readonly string[]> {
  const text = await cluster.kubectl("logs", name, "-n", namespace, "-c", "app");
  const lines = text.split("\n").filter((line) => /^(?:start|hangup|term) /.test(line));
  return lines.map((line) => line.replace(first, "first").replace(second, "second"));
}

async function neverRestarted(name: string): Promise<void> {
  const { status } = await readPod(cluster, { namespace, name });
  expect(status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0]);
}
