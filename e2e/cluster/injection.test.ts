import { beforeAll, describe, expect, test } from "bun:test";
import { searchEnvironments } from "./environments.ts";
import { type ApplicationImages, applicationImages } from "./images/application-images.ts";
import { type InjectedPod, injectedPod, injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, POD_SECURITY } from "./operator/injection-stage.ts";
import { digestOf, loggedLine, toldDigest } from "./operator/told-digest.ts";
import { storyCluster } from "./story-cluster.ts";
import { readPod, waitForPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "images";
let images: ApplicationImages;
let value: string;

beforeAll(async () => {
  images = await applicationImages(cluster.state);
  ({ value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
});

type Wish = Omit<InjectedPod, "namespace" | "name">;

describe("a pod that asks gets its secret from", () => {
  const served: Readonly<Record<string, () => Wish>> = {
    "an image with only an ENTRYPOINT": () => ({ image: images.scratch }),
    "a static Go program on scratch": () => ({
      image: images.scratch,
      container: { command: ["/teller"], args: ["serve"] },
    }),
    "a shell script as ENTRYPOINT, and a CMD": () => ({ image: images.shell }),
    "a shell script as ENTRYPOINT, and arguments of the pod": () => ({
      image: images.shell,
      container: { args: ["serve"] },
    }),
    "a command that is a shell's line": () => ({
      image: images.shell,
      container: { command: ["sh", "-c", "true; exec /bin/teller serve"] },
    }),
  };
  for (const [index, [what, wish]] of Object.entries(served).entries()) {
    test.concurrent(what, async () => {
      const pod = { namespace, name: `served-${index}` };
      await cluster.apply(injectedPod({ ...pod, ...wish() }));
      const ready = await waitForReady(cluster, pod);
      expect(await toldDigest(ready)).toBe(digestOf(value));
    });
  }

  test.concurrent("an Alpine-like image with only a CMD", async () => {
    const pod = { namespace, name: "alpine" };
    await cluster.apply(injectedPod({ ...pod, image: images.alpine }));
    await waitForReady(cluster, pod);
    expect(await loggedLine(cluster, pod, "app", "start")).toBe(`start ${value}`);
  });
});
