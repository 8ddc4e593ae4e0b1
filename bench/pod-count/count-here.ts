/**
 * Follows the pods of an API server in this process: `bun bench/pod-count/count-here.ts KUBECONFIG
 * SECONDS`. Prints for how long, at most, nothing else had its turn, while they are listed and
 * after.
 */
import { argv, stdout } from "node:process";
import { connectApi } from "@svc/kubernetes";
import { followPods } from "@svc/operator";

const [kubeconfig = "", seconds = ""] = argv.slice(2);
const api = await connectApi({ kind: "kubeconfig", paths: [kubeconfig] });
let longestMs = 0;
let lastMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  longestMs = Math.max(longestMs, nowMs - lastMs);
  lastMs = nowMs;
}, 1);

const { promise: listed, resolve: onListed } = Promise.withResolvers<void>();
const onFailure = (error: unknown) => {
  throw error;
};
const beganMs = performance.now();
const pods = followPods(api, "svc.internal", { onListed, onFailure });
await listed;
const listMs = performance.now() - beganMs;
const whileListingMs = longestMs;
longestMs = 0;
await Bun.sleep(Number(seconds) * 1000);
const count = pods.counts()?.get("shop/default") ?? 0;
stdout.write(`${JSON.stringify({ count, listMs, whileListingMs, watchingMs: longestMs })}\n`);
process.exit(0);
