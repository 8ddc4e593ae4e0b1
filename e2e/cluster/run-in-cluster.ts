/**
 * Starts a cluster, runs a command in its network, and removes the cluster: `bun run-in-cluster.ts
 * COMMAND…`. Builds the cluster's programs first if they are missing. The command finds KUBECONFIG, and kubectl in its PATH. Ends with the command's status.
 * Wants root. Nothing listens outside of the cluster's own network namespace.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, fetchOpenBao, runsAsRoot, TestingError } from "@svc/testing";
import { buildCluster } from "../../scripts/cluster/build-cluster.ts";
import { buildCrane } from "../../scripts/crane/build-crane.ts";
import { buildKubernetes } from "../../scripts/kubernetes/build-kubernetes.ts";
import { enterClusterCgroup } from "./cluster-cgroup.ts";
import { CLUSTER_PREFIX, removeAbandoned, stateFolder } from "./remove-remains.ts";

const say = (line: string) => void process.stderr.write(`run-in-cluster: ${line}\n`);
const command = process.argv.slice(2);
if (command.length === 0) refuse("usage: bun run-in-cluster.ts COMMAND…");
if (!runsAsRoot()) refuse("a cluster needs root: it makes namespaces, mounts and cgroups");

await buildPrograms();
for (const name of await removeAbandoned()) say(`removed the remains of ${name}`);
process.exit(await run(`${CLUSTER_PREFIX}${process.pid}`));

/** Nothing can be fetched in the cluster's network. */
async function buildPrograms(): Promise<void> {
  const { env } = process;
  const cache = cacheFolder(env);
  try {
    await buildKubernetes(cache, env, say);
    await buildCluster(cache, env, say);
    await buildCrane(cache, env, say);
    await fetchOpenBao(cache, env);
  } catch (error) {
    if (!(error instanceof TestingError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

async function run(name: string): Promise<number> {
  mkdirSync(stateFolder(name), { mode: 0o755 });
  const cleaner = Bun.spawn([process.execPath, at("clean-up.ts"), name], {
    stdio: ["pipe", "inherit", "inherit"],
    // Not in our process group: Ctrl-C is not for it.
    detached: true,
  });
  try {
    return await runApart(name);
  } finally {
    await cleaner.stdin.end();
    if ((await cleaner.exited) !== 0) say(`could not remove all of ${name}`);
  }
}

async function runApart(name: string): Promise<number> {
  const apart = ["unshare", "--net", "--mount", "--propagation", "private"];
  const child = Bun.spawn(
    [
      ...["setpriv", "--pdeathsig", "KILL", ...apart],
      ...[process.execPath, at("hold-cluster.ts"), name, ...command],
    ],
    { stdio: ["inherit", "inherit", "inherit"] },
  );
  enterClusterCgroup(name, child.pid);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return child.exited;
}

function at(file: string): string {
  return join(import.meta.dirname, file);
}

function refuse(reason: string): never {
  say(reason);
  process.exit(2);
}
