import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApplicationImages, applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import {
  helmOperator,
  injectionStage,
  makeShop,
  operatorValues,
  removeShop,
} from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import { storyCluster } from "./story-cluster.ts";
import { waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "memory";
let images: ApplicationImages;
let value: string;

beforeAll(async () => {
  images = await applicationImages(cluster.state);
  ({ value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
});

afterAll(async () => {
  await removeShop(cluster, namespace);
  await helmOperator(cluster, "upgrade", await operatorValues(cluster));
});

type Outcome = "refused" | "starts";

const LEAST = 12;
const sources = ["copy", "image-volume"] as const;
/** By the limit: the end of the container. */
const outcomes: Readonly<Record<number, Outcome>> = { 8: "refused", 16: "starts" };

for (const source of sources) {
  describe(`a container's memory limit, with the bundle by ${source}`, () => {
    beforeAll(async () => {
      const values = await operatorValues(cluster, { bundleSource: source });
      await helmOperator(cluster, "upgrade", values);
    });

    for (const [limit, outcome] of Object.entries(outcomes)) {
      const pod = { namespace, name: `${source}-${limit}` };
      const container = { resources: { limits: { memory: `${limit}Mi` } } };
      const wanted = () => injectedPod({ ...pod, image: images.scratch, container });

      if (outcome === "refused") {
        test(`of ${limit} MiB is refused with both figures`, async () => {
          const { exitCode, stderr } = await cluster.tryApply(wanted());
          expect(exitCode).not.toBe(0);
          expect(stderr).toContain(`its limit is ${limit}Mi `);
          expect(stderr).toContain(`must be given ${LEAST}Mi `);
        });
      } else {
        // One after the other: starts at the same time would share two processors.
        test(`of ${limit} MiB lets the program start at the first try`, async () => {
          const began = performance.now();
          await cluster.apply(wanted());
          const ready = await waitForReady(cluster, pod);
          const seconds = ((performance.now() - began) / 1000).toFixed(1);
          process.stdout.write(`${source}, ${limit} MiB: ready after ${seconds} s\n`);
          const statuses = ready.status.containerStatuses ?? [];
          expect(statuses.map(({ restartCount }) => restartCount)).toEqual([0]);
          expect(await toldDigest(ready)).toBe(digestOf(value));
        });
      }
    }
  });
}
