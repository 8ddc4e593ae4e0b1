/**
 * Makes a cluster in the namespaces that it is started in, and runs a command there: `bun
 * hold-cluster.ts NAME COMMAND…`. Started by run-in-cluster.ts, which removes it all.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { clusterFolders } from "../../scripts/cluster/cluster-programs.ts";
import { writeClusterKeys } from "./cluster-keys.ts";
import { type ClusterState, STATE_VARIABLE, statePath } from "./cluster-state.ts";
import { pushPauseImage } from "./images/push-pause.ts";
import { NODE } from "./node-settings.ts";
import { makePrivateMounts, makePrivateNetwork } from "./private-places.ts";
import { stateFolder } from "./remove-remains.ts";
import { startControlPlane } from "./start-control-plane.ts";
import { startNode } from "./start-node.ts";
import { startRegistry } from "./start-registry.ts";

const [name = "", ...command] = process.argv.slice(2);
const programs = clusterFolders(cacheFolder(process.env));
const started = performance.now();
const state = await startCluster(stateFolder(name));
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stderr.write(`hold-cluster: the node is ready after ${seconds} s\n`);
process.exit(await runCommand());

async function startCluster(folder: string): Promise<ClusterState> {
  const [settings, logs] = [join(folder, "settings"), join(folder, "logs")];
  mkdirSync(logs);
  await makePrivateMounts(folder);
  await makePrivateNetwork();
  const keys = await writeClusterKeys(settings);
  const { caPem, token } = keys;
  const state: ClusterState = {
    ...{ settings, logs, caPem, token, registry: NODE.registry },
    address: `https://${NODE.address}:${NODE.apiPort}`,
    caFile: join(settings, "ca.crt"),
    kubeconfig: keys.kubeconfigOf("administrator"),
  };
  writeFileSync(statePath(folder), JSON.stringify(state), { mode: 0o600 });
  await startRegistry(settings, logs, caPem);
  const places = { settings, logs, programs: programs.kubernetes };
  await Promise.all([startControlPlane(places, keys), pushPauseImage(state)]);
  await startNode({ settings, logs, cgroup: name, programs }, keys);
  return state;
}

async function runCommand(): Promise<number> {
  const child = Bun.spawn(["setpriv", "--pdeathsig", "KILL", ...command], {
    stdio: ["inherit", "inherit", "inherit"],
    env: {
      ...process.env,
      PATH: `${programs.kubernetes}:${programs.containerd}:${process.env["PATH"]}`,
      KUBECONFIG: state.kubeconfig,
      [STATE_VARIABLE]: statePath(stateFolder(name)),
    },
  });
  return child.exited;
}
