/**
 * Measures how much later a program starts in a pod of a real cluster when the operator injects the
 * wrapper: `bun e2e/cluster/run-in-cluster.ts bun bench/pod-start.ts [ROUNDS]`, after
 * `make images`. From the request that makes the pod to the program's first word, by the machine's
 * uptime in steps of 10 ms. Plain pods, plain pods with an init container that does nothing, and
 * injected pods take turns. It asserts nothing.
 */
import { readFileSync } from "node:fs";
import { argv, exit, stdout } from "node:process";
import { waitFor } from "@svc/testing";
import { applicationImages } from "../e2e/cluster/images/application-images.ts";
import { injectedPod } from "../e2e/cluster/operator/injected-pod.ts";
import {
  helmOperator,
  injectionStage,
  makeShop,
  operatorValues,
} from "../e2e/cluster/operator/injection-stage.ts";
import { storyCluster } from "../e2e/cluster/story-cluster.ts";
import { summarise } from "./statistics.ts";

const DEADLINE_MS = 60_000;
const NAMESPACE = "pod-start";
const rounds = Number(argv[2] ?? 20);
const cluster = storyCluster();
const { shell: image } = await applicationImages(cluster.state);
await injectionStage(cluster);
await makeShop(cluster, NAMESPACE);
let pods = 0;

const kinds = ["plain", "init", "injected"] as const;
type Kind = (typeof kinds)[number];

for (const bundleSource of ["copy", "image-volume"]) {
  await helmOperator(cluster, "upgrade", await operatorValues(cluster, { bundleSource }));
  // One pod of each kind fetches the images, and is not counted.
  for (const kind of kinds) await startPod(kind);
  const samples = { plain: [] as number[], init: [] as number[], injected: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) samples[kind].push(await startPod(kind));
  }
  const said = kinds.map((kind) => `${kind} ${summarise(samples[kind]).median} ms`);
  stdout.write(`${bundleSource}: ${said.join(", ")} (medians of ${rounds})\n`);
}
exit(0);

/**
 * Makes a pod, waits for its program's first word, and removes it; gives the milliseconds between.
 */
async function startPod(kind: Kind): Promise<number> {
  pods += 1;
  const name = `pod-${pods}`;
  const program = "read up rest </proc/uptime; echo $up; exec sleep 1000";
  const container = { command: ["sh", "-c", program] };
  const annotations = kind === "injected" ? {} : { inject: "false" };
  const init = { name: "first", image, command: ["true"] };
  const spec = kind === "init" ? { initContainers: [init] } : {};
  const pod = injectedPod({ namespace: NAMESPACE, name, image, container, annotations, spec });
  const begun = uptimeMs(readFileSync("/proc/uptime", "utf8"));
  await cluster.apply(pod);
  const said = await waitFor(
    async () => {
      const { stdout: text } = await cluster.tryKubectl("logs", name, "-n", NAMESPACE, "-c", "app");
      return /^\d+\.\d\d$/m.exec(text)?.[0];
    },
    { deadlineMs: DEADLINE_MS, what: `the first word of ${name}` },
  );
  await cluster.kubectl("delete", "pod", name, "-n", NAMESPACE, "--grace-period=1");
  return uptimeMs(said) - begun;
}

/** The first figure of /proc/uptime, in milliseconds; proc_uptime(5). */
function uptimeMs(text: string): number {
  return Math.round(Number(text.trim().split(" ")[0]) * 1000);
}
