import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestingError, waitFor } from "@svc/testing";
import type { ClusterPart } from "../../scripts/cluster/cluster-programs.ts";
import type { ClusterKeys } from "./cluster-keys.ts";
import {
  containerdSettings,
  kubeletSettings,
  NODE,
  type NodePaths,
  nameServerSettings,
  networkList,
  proxySettings,
  registryHost,
} from "./node-settings.ts";
import { tryTool } from "./run-tool.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";

/** The folders in which the node finds and leaves its files. */
export interface NodePlaces {
  readonly settings: string;
  readonly logs: string;
  /** The name of the cluster's cgroup. */
  readonly cgroup: string;
  readonly programs: Readonly<Record<ClusterPart, string>>;
}

const DEADLINE_MS = 60_000;

/**
 * Starts containerd, the kubelet, kube-proxy and the name server, and waits until the node is
 * ready.
 */
export async function startNode(places: NodePlaces, keys: ClusterKeys): Promise<void> {
  const { settings, logs, programs } = places;
  writeNodeSettings(places, keys);
  const path = `${programs.containerd}:${process.env["PATH"]}`;
  const start = (name: string, ...command: readonly string[]) =>
    startDaemon({ name, command, logs, environment: { PATH: path } });
  const at = (name: string) => join(settings, name);
  start("name-server", join(programs.coredns, "coredns"), "-conf", at("name-server"));
  const containerd = start(
    "containerd",
    join(programs.containerd, "containerd"),
    ...["--config", at("containerd.toml")],
  );
  await containerdAnswers(join(programs.containerd, "ctr"), containerd);
  const kubelet = start(
    "kubelet",
    join(programs.kubernetes, "kubelet"),
    `--config=${at("kubelet.json")}`,
    `--kubeconfig=${keys.kubeconfigOf("kubelet")}`,
    `--hostname-override=${NODE.name}`,
    `--node-ip=${NODE.address}`,
  );
  start("proxy", join(programs.kubernetes, "kube-proxy"), `--config=${at("proxy.json")}`);
  const kubectl = join(programs.kubernetes, "kubectl");
  await nodeIsReady([kubectl, `--kubeconfig=${keys.kubeconfigOf("administrator")}`], kubelet);
}

function writeNodeSettings(places: NodePlaces, keys: ClusterKeys): void {
  const { settings, programs, cgroup } = places;
  const paths: NodePaths = { settings, plugins: programs.network, cgroup: `/${cgroup}` };
  const files: Readonly<Record<string, string>> = {
    "containerd.toml": containerdSettings(paths),
    "kubelet.json": JSON.stringify(kubeletSettings(paths)),
    "proxy.json": JSON.stringify(proxySettings(keys.kubeconfigOf("proxy"))),
    "name-server": nameServerSettings(keys.kubeconfigOf("name-server")),
    "network/10-pods.conflist": networkList(),
    [`registries/${NODE.registry}/hosts.toml`]: registryHost(paths),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(settings, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  }
}

async function containerdAnswers(ctr: string, daemon: Daemon): Promise<void> {
  const isThere = async () => {
    daemon.refuseEnded();
    return (await tryTool([ctr, "version"])).exitCode === 0;
  };
  await waitFor(isThere, { deadlineMs: DEADLINE_MS, what: "containerd to answer" });
}

async function nodeIsReady(kubectl: readonly string[], kubelet: Daemon): Promise<void> {
  const wait = ["wait", "--for=condition=Ready", "--timeout=1s", `node/${NODE.name}`];
  const isReady = async () => {
    kubelet.refuseEnded();
    return (await tryTool([...kubectl, ...wait])).exitCode === 0;
  };
  try {
    await waitFor(isReady, { deadlineMs: DEADLINE_MS, what: "the node to be ready" });
  } catch (cause) {
    const said = `the node is not ready; the kubelet said:\n${kubelet.lastWords()}`;
    throw new TestingError("SERVER_FAILED", said, { cause });
  }
}
