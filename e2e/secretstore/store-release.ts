import { join } from "node:path";
import {
  certificateAuthority,
  freePort,
  type KubernetesTarget,
  type OpenBao,
  startOpenBao,
  temporaryFolder,
} from "@svc/testing";
import { makeNamespace, writePod } from "./store-pods.ts";

/**
 * A store as its chart installs it: real servers, each a pod that is known to the API server and in
 * the DNS.
 */
export interface StoreRelease extends AsyncDisposable {
  readonly namespace: string;
  readonly releaseName: string;
  readonly nodes: readonly OpenBao[];
  /** A file for /etc/hosts with the names of the pods and of the service. */
  readonly hosts: string;
  /** Starts a pod's server again, with an empty disk. */
  readonly replace: (index: number) => Promise<void>;
  /** The variables that name it to `svc secretstore`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a release is started. */
export interface ReleaseOptions {
  /** By default 1. */
  readonly size?: number;
  /** By default `raft`. */
  readonly storage?: "inmem" | "raft";
  readonly tls?: boolean;
}

let releases = 0;

/** Starts a release of servers that are not initialised, in a separate namespace. */
export async function startRelease(
  kube: KubernetesTarget,
  { size = 1, storage = "raft", tls = false }: ReleaseOptions = {},
): Promise<StoreRelease> {
  const names = { namespace: `vault-${++releases}`, releaseName: "store" };
  const { namespace, releaseName } = names;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder()).path;
  await makeNamespace(kube, namespace);
  const port = freePort();
  // A whole network is on the loopback: each pod has its own address and all have one port.
  const pods = Array.from({ length: size }, (_, index) => ({
    index,
    host: `127.${releases >> 8}.${releases & 255}.${index + 1}`,
    name: `${releaseName}-${index}.${releaseName}-internal.${namespace}`,
  }));
  const service = `${releaseName}.${namespace}.svc`;
  const hosts = await writeHosts(folder, pods, service);
  const authority = tls ? await certificateAuthority("the store's CA") : undefined;
  const nodes: OpenBao[] = [];
  stack.defer(async () => {
    for (const node of nodes) await node.stop();
  });
  const starts: (() => Promise<OpenBao>)[] = [];
  for (const { index, host, name } of pods) {
    const certificate = await authority?.issue({ names: [name, service, host] });
    const secured = certificate && {
      tls: { ...certificate, caPem: authority?.certificatePem ?? "" },
    };
    const nodeId = `${releaseName}-${index}`;
    const place = { host, port, hosts, nodeId, storage, initialise: false };
    const start = () => startOpenBao({ ...place, ...secured });
    starts.push(start);
    nodes.push(await start());
    await writePod(kube, names, { index });
  }
  const replace = async (index: number) => {
    await nodes[index]?.stop();
    const node = await starts[index]?.();
    if (node !== undefined) nodes[index] = node;
  };
  const ca = join(folder, "ca.pem");
  if (authority !== undefined) await Bun.write(ca, authority.certificatePem);
  const environment = {
    STORE_ADDR: `${tls ? "https" : "http"}://${service}:${port}`,
    STORE_NAMESPACE: namespace,
    STORE_RELEASE_NAME: releaseName,
    ...(tls && { VAULT_CACERT: ca }),
  };
  const started = stack.move();
  return {
    ...names,
    nodes,
    hosts,
    replace,
    environment,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface StorePod {
  readonly host: string;
  readonly name: string;
}

/** A file for /etc/hosts. The service leads to the first pod. */
async function writeHosts(
  folder: string,
  pods: readonly StorePod[],
  service: string,
): Promise<string> {
  const hosts = join(folder, "hosts");
  const lines = pods.map(({ host, name }) => `${host} ${name}`);
  const first = pods[0]?.host ?? "127.0.0.1";
  await Bun.write(hosts, ["127.0.0.1 localhost", ...lines, `${first} ${service}`, ""].join("\n"));
  return hosts;
}
