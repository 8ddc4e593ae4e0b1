import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import type { Cluster } from "./cluster.ts";
import { type Accident, type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { type SvcEnd, startSvc } from "./run-svc.ts";
import type { StoreRelease } from "./store-release.ts";

/** A run of `svc secretstore` against a store of one node, and what happens to it. */
export interface ProxiedRunRequest {
  readonly cluster: Cluster;
  readonly release: StoreRelease;
  /** By default `init` with JSON. */
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly redirections?: string;
  /** `kill` ends the command's work with SIGKILL and waits until the command is gone. */
  readonly accident?: (kill: () => Promise<void>) => Accident;
}

/** The end of a run. */
export interface ProxiedEnd extends SvcEnd {
  readonly requests: readonly string[];
  readonly initialisations: number;
}

/** A run that goes on. */
export interface ProxiedRun {
  readonly proxy: FaultProxy;
  readonly child: ReturnType<typeof startSvc>;
  /** Its standard output and standard error so far. */
  readonly said: () => string;
  readonly ended: Promise<ProxiedEnd>;
}

/** Starts the real command with a proxy in front of both servers. */
export async function startProxied(wanted: ProxiedRunRequest): Promise<ProxiedRun> {
  const { cluster, release, words = ["init", "-o", "json"] } = wanted;
  const { input = "", redirections = "" } = wanted;
  const [node] = release.nodes;
  if (node === undefined) throw new TypeError("the release has no node");
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder()).path;
  const upstreams = { storeAddress: node.address, kube: cluster.kube };
  // The command starts once its proxy has a port.
  const started = Promise.withResolvers<ReturnType<typeof startSvc>>();
  const kill = async () => {
    const victim = await started.promise;
    killHolder(victim.pid);
    await victim.exited;
  };
  const proxy = stack.use(await startFaultProxy(upstreams, wanted.accident?.(kill) ?? {}));
  const hosts = await writeHosts(folder, release);
  const environment = {
    ...cluster.environmentFor(release),
    STORE_ADDR: `http://${release.releaseName}.${release.namespace}.svc:${proxy.port}`,
    KUBECONFIG: await writeKubeconfig(folder, { port: proxy.port, token: cluster.kube.token }),
    BOOTSTRAP_SHAMIR_SHARES: "3",
    BOOTSTRAP_SHAMIR_THRESHOLD: "2",
    ...wanted.environment,
  };
  const child = startSvc(["secretstore", ...words], { environment, hosts, input, redirections });
  started.resolve(child);
  const owned = stack.move();
  const texts = { stdout: "", stderr: "" };
  const read = async (name: keyof typeof texts) => {
    for await (const chunk of child[name].pipeThrough(new TextDecoderStream())) {
      texts[name] += chunk;
    }
  };
  const finish = async (): Promise<ProxiedEnd> => {
    const [exitCode] = await Promise.all([child.exited, read("stdout"), read("stderr")]);
    const seen = { requests: proxy.requests(), initialisations: proxy.initialisations() };
    await owned.disposeAsync();
    return { exitCode, ...texts, ...seen };
  };
  return { proxy, child, said: () => texts.stdout + texts.stderr, ended: finish() };
}

/** Runs the real command to its end with a proxy in front of both servers. */
export async function runProxied(wanted: ProxiedRunRequest): Promise<ProxiedEnd> {
  return (await startProxied(wanted)).ended;
}

/**
 * Kills the process that does the work, and has the keys; the one that has started it ends as it
 * does.
 */
function killHolder(caller: number): void {
  const children = readFileSync(`/proc/${caller}/task/${caller}/children`, "utf8");
  const [holder] = children.trim().split(" ");
  if (holder === undefined || holder === "") throw new TypeError(`${caller} has no holder`);
  process.kill(Number(holder), "SIGKILL");
}

/** The release's names, which lead to the proxy. */
async function writeHosts(folder: string, { hosts }: StoreRelease): Promise<string> {
  const path = join(folder, "hosts");
  await Bun.write(path, (await Bun.file(hosts).text()).replaceAll(/^\S+/gm, "127.0.0.1"));
  return path;
}

interface ProxiedServer {
  readonly port: number;
  readonly token: string;
}

async function writeKubeconfig(folder: string, { port, token }: ProxiedServer): Promise<string> {
  const path = join(folder, "kubeconfig");
  const name = "proxied";
  const server = `http://127.0.0.1:${port}`;
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  await Bun.write(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
