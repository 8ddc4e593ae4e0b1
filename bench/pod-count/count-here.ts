/**
 * Follows the pods of an API server in this process: `bun bench/pod-count/count-here.ts KUBECONFIG
 * SECONDS`. Prints the longest time in which no other task had its turn, while the pods are listed
 * and after. It prints this as it was, and without the time for which this process waited for a
 * processor.
 */
import { argv, pid, stdout } from "node:process";
import { connectApi } from "@svc/kubernetes";
import { followPods } from "@svc/operator";
import { type Longest, noteTime, processorWaitMs } from "./processor-wait.ts";

const [kubeconfig = "", seconds = ""] = argv.slice(2);
const api = await connectApi({ kind: "kubeconfig", paths: [kubeconfig] });
let longest: Longest = { wholeMs: 0, ownMs: 0 };
let last = { nowMs: performance.now(), waitedMs: processorWaitMs(pid) };
setInterval(() => {
  const now = { nowMs: performance.now(), waitedMs: processorWaitMs(pid) };
  noteTime(longest, now.nowMs - last.nowMs, now.waitedMs - last.waitedMs);
  last = now;
}, 1);

const { promise: listed, resolve: onListed } = Promise.withResolvers<void>();
const onFailure = (error: unknown) => {
  throw error;
};
const beganMs = performance.now();
const pods = followPods(api, "svc.internal", { onListed, onFailure });
await listed;
const listMs = performance.now() - beganMs;
const whileListing = longest;
longest = { wholeMs: 0, ownMs: 0 };
await Bun.sleep(Number(seconds) * 1000);
const count = pods.counts()?.get("shop/default") ?? 0;
stdout.write(`${JSON.stringify({ count, listMs, whileListing, watching: longest })}\n`);
process.exit(0);
