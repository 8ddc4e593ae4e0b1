import { join } from "node:path";
import { certificateAuthority } from "../certificates/certificate-authority.ts";
import { freePort } from "../free-port.ts";
import { type ObjectServer, startObjectServer } from "../kubernetes/object-server.ts";
import { type OpenBao, startOpenBao } from "../openbao/start-openbao.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A real store in the place of pods, and an API server that keeps objects in memory. */
export interface StoreInCluster extends AsyncDisposable {
  readonly server: ObjectServer;
  /** The server of each pod, by its number. None is initialised. */
  readonly nodes: readonly [OpenBao, ...OpenBao[]];
  /** The variables with which `svc secretstore` finds both. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes the pod of a number, by default one that runs. */
  readonly putPod: (index: number, phase?: string) => void;
}

/** How a store is started. */
export interface StoreOptions {
  /** By default `inmem`. */
  readonly storage?: "inmem" | "raft";
  /** The number of pods; by default one. */
  readonly count?: number;
}

/**
 * The name of a pod in the cluster's DNS is HOSTNAME.SUBDOMAIN.NAMESPACE: in this namespace it is a
 * loopback address.
 */
const NAMESPACE = "1";
export const STORE_PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
export const STORE_SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;

/** Starts a store in memory, of one pod, or a Raft cluster of several. */
export async function startStoreInCluster({
  storage = "inmem",
  count = 1,
}: StoreOptions = {}): Promise<StoreInCluster> {
  const port = freePort();
  const start = (index: number) =>
    startOpenBao({
      ...{ storage, initialise: false, port },
      ...{ host: `127.0.${index}.1`, nodeId: `store-${index}` },
    });
  const first = await start(0);
  const others = await Promise.all(
    Array.from({ length: count - 1 }, (_, index) => start(index + 1)),
  );
  const server = startObjectServer();
  const folder = temporaryFolder();
  const authority = await certificateAuthority("svc test");
  await Bun.write(join(folder.path, "ca.crt"), authority.certificatePem);
  await Bun.write(join(folder.path, "jwt"), JWT);
  const putPod = (index: number, phase = "Running") => server.put(...podOf(index, phase));
  for (let index = 0; index < count; index++) putPod(index);
  return {
    ...{ server, nodes: [first, ...others], putPod },
    environment: {
      ...{ STORE_ADDR: first.address, STORE_NAMESPACE: NAMESPACE, STORE_RELEASE_NAME: "store" },
      ...{ KUBECONFIG: server.kubeconfig, BOOTSTRAP_WAIT: "0s" },
      BOOTSTRAP_KUBERNETES_CA_CERT: join(folder.path, "ca.crt"),
      BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: join(folder.path, "jwt"),
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first, ...others].map((bao) => bao.stop()));
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The store asks for one when it reviews a token, and never before. */
const JWT = ["{}", "{}", "signature"].map((part) => btoa(part).replaceAll("=", "")).join(".");

function podOf(
  index: number,
  phase: string,
): [path: string, pod: Readonly<Record<string, unknown>>] {
  const name = `store-${index}`;
  const claim = { persistentVolumeClaim: { claimName: `data-${name}` } };
  const started = { name: "bao", containerID: `containerd://${name}`, restartCount: 0 };
  const pod = {
    metadata: { name, ownerReferences: [{ kind: "StatefulSet", name: "store" }] },
    spec: { hostname: "127", subdomain: `0.${index}`, volumes: [claim] },
    status: { phase, containerStatuses: phase === "Running" ? [started] : [] },
  };
  return [`${STORE_PODS}/${name}`, pod];
}
