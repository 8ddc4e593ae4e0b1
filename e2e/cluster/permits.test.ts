import { afterAll, beforeAll, expect, test } from "bun:test";
import { canary, waitFor } from "@svc/testing";
import { applicationImages } from "./images/application-images.ts";
import { injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import { digestOf } from "./operator/told-digest.ts";
import { serviceClient } from "./service-client.ts";
import type { OpenStore } from "./store/open-store.ts";
import { writeWhenLed } from "./store/write-when-led.ts";
import { storyCluster } from "./story-cluster.ts";
import type { Pod } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "permits";
/** Others for a trial by hand: docs/reliability.md has the figures of some. */
const REPLICAS = Number(Bun.env["PERMITS_REPLICAS"] ?? 3);
const STARTS_FOR = Bun.env["PERMITS_STARTS_FOR"] ?? "3s";
/** The starts of all pods, one after the other, on a busy machine. */
const DEADLINE_MS = Number(Bun.env["PERMITS_DEADLINE_S"] ?? 240) * 1000;
let image: string;
let store: OpenStore;

beforeAll(async () => {
  ({ scratch: image } = await applicationImages(cluster.state));
  ({ store } = await injectionStage(cluster));
  await makeShop(cluster, namespace, { spec: { secretPaths: ["secret/data/permits"] } });
});

afterAll(async () => {
  await removeShop(cluster, namespace);
});

for (const by of ["program", "pod"] as const) {
  test(
    `a changed secret takes no request and one pod at a time: rotation-by ${by}`,
    async () => {
      const [first, second] = [canary(), canary()];
      await writeWhenLed(store, "secret/data/permits", { password: first });
      const name = `web-${by}`;
      await cluster.apply(...service(name, by));
      await thereAre(name, first);
      const { spec } = await cluster.get<{ spec: { clusterIP: string } }>(
        ...["service", name, "-n", namespace],
      );
      const client = serviceClient(`http://${spec.clusterIP}/digest`);
      const watch = readyWatch(name);
      await writeWhenLed(store, "secret/data/permits", { password: second });
      await thereAre(name, second);
      const { failures, answers } = await client.stop();
      const least = await watch.stop();
      say(by, answers, failures.length, least);
      expect(failures).toEqual([]);
      expect(answers).toBeGreaterThan(50);
      // A Deployment's own maxUnavailable is a quarter, rounded down.
      expect(least).toBeGreaterThanOrEqual(REPLICAS - Math.max(1, Math.floor(REPLICAS / 4)));
      await cluster.kubectl("delete", "deployment", name, "-n", namespace, "--wait=false");
    },
    2 * DEADLINE_MS,
  );
}

function service(name: string, by: string) {
  const labels = { app: name };
  const template = injectedTemplate(
    {
      ...{ namespace, name, image },
      annotations: {
        ...{ "rotation-by": by, "renewal-interval": "1s" },
        ...{ "rotation-splay": "0s", "rotation-min-interval": "0s" },
      },
      container: {
        env: [{ name: "TELLER_STARTS_FOR", value: STARTS_FOR }],
        ports: [{ name: "web", containerPort: 8080 }],
        // As a program that ends at once needs it for every rollout.
        ...(by === "pod" && { lifecycle: { preStop: { sleep: { seconds: 4 } } } }),
        readinessProbe: {
          httpGet: { port: "web", path: "/healthz" },
          // A busy machine answers late.
          ...{ periodSeconds: 1, failureThreshold: 3, timeoutSeconds: 4 },
        },
      },
      spec: { terminationGracePeriodSeconds: 20 },
    },
    labels,
  );
  return [
    {
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name } },
      spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template },
    },
    {
      ...{ apiVersion: "v1", kind: "Service", metadata: { namespace, name } },
      spec: { selector: labels, ports: [{ port: 80, targetPort: "web" }] },
    },
  ];
}

/** One line for people who try other shapes. */
function say(by: string, answers: number, failures: number, least: number): void {
  const shape = `${REPLICAS} replicas, a start of ${STARTS_FOR}, rotation-by ${by}`;
  const found = `${answers} requests answered, ${failures} failed, at least ${least} pods ready`;
  process.stderr.write(`${shape}: ${found}\n`);
}

/** Waits until all pods are ready and have the value. */
async function thereAre(name: string, value: string): Promise<void> {
  const haveAll = async () => {
    const pods = (await podsOf(name)).filter(({ metadata }) => !metadata.deletionTimestamp);
    if (pods.length !== REPLICAS || !pods.every(isReady)) return false;
    const digests = await Promise.all(pods.map(({ status }) => digestAt(status.podIP ?? "")));
    return digests.every((digest) => digest === digestOf(value));
  };
  const deadline = { deadlineMs: DEADLINE_MS, what: `the pods of ${name} to have the value` };
  await waitFor(haveAll, deadline);
}

async function digestAt(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${address}:8080/digest`, {
      signal: AbortSignal.timeout(2000),
      headers: { Connection: "close" },
    });
    return (await response.text()).trim();
  } catch {
    return undefined;
  }
}

function isReady({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}

async function podsOf(name: string): Promise<readonly Pod[]> {
  const words = ["pods", "-n", namespace, `--selector=app=${name}`];
  return (await cluster.get<{ items: readonly Pod[] }>(...words)).items;
}

/** Counts the ready pods until it is stopped, and gives the least that it saw. */
function readyWatch(name: string): { readonly stop: () => Promise<number> } {
  let least = Number.POSITIVE_INFINITY;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const ready = (await podsOf(name)).filter(isReady).length;
      least = Math.min(least, ready);
      await Bun.sleep(200);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      return least;
    },
  };
}
