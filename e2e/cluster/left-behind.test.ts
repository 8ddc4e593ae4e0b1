import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { clusterCgroups, clusterProcesses } from "./cluster-cgroup.ts";
import { NODE } from "./node-settings.ts";
import { CLUSTER_PREFIX, stateFolder } from "./remove-remains.ts";
import { storyCluster } from "./story-cluster.ts";

// Like every story, it is one of the cluster's: root, with the programs built.
storyCluster();

/** Runs a pod in a separate cluster, says so, and waits. */
const script = `
kubectl run held --image=${NODE.registry}/pause:1 &&
kubectl wait --for=condition=Ready pod/held --timeout=5m &&
echo "the pod runs" && sleep 600`;

test("a cluster whose supervisor is killed leaves no process, no cgroup and no file", async () => {
  const program = join(import.meta.dirname, "run-in-cluster.ts");
  const child = Bun.spawn([process.execPath, program, "sh", "-c", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const name = `${CLUSTER_PREFIX}${child.pid}`;
  await printed(child.stdout, "the pod runs");
  const processes = clusterProcesses(name);
  // etcd, the API server, the kubelet, containerd, a shim, two in the pod …
  expect(processes.length).toBeGreaterThan(10);
  expect(existsSync(stateFolder(name))).toBe(true);

  child.kill("SIGKILL");
  const isGone = () => !existsSync(stateFolder(name)) && !clusterCgroups(name).includes(name);
  await waitFor(isGone, { deadlineMs: 30_000, what: "the cleaner to remove the cluster" });
  expect(processes.filter(runs)).toEqual([]);
});

/** One that has ended, and that its parent has not asked about yet, has no command line. */
function runs(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

async function printed(stream: ReadableStream<Uint8Array>, line: string): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(line)) return;
  }
  throw new TypeError(`the cluster ended before it said "${line}": ${text}`);
}
