import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cache-folder.ts";
import { certificateAuthority } from "../certificates/certificate-authority.ts";
import { TestingError } from "../errors.ts";
import { freePort } from "../free-port.ts";
import { runsAsRoot } from "../runs-as-root.ts";
import { NOBODY, type ServerProcess, startServer } from "../server-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { waitFor } from "../wait-for.ts";
import { type ApiServerRequest, apiServerFlags } from "./api-server-flags.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { askKubernetes, type KubernetesTarget } from "./kubernetes-api.ts";
import { kubernetesPrograms } from "./kubernetes-release.ts";
import { startEtcd } from "./start-etcd.ts";
import { tokenSigningKeys } from "./token-signing-keys.ts";

/** How a control plane is started. */
export interface KubernetesOptions {
  /** How long the servers may take to be ready, in milliseconds; by default 60,000. */
  readonly deadlineMs?: number;
  /**
   * Whether webhooks are called at the endpoints of their services; by default at their cluster
   * IPs, which no proxy serves.
   */
  readonly callsEndpoints?: boolean;
}

/**
 * A real kube-apiserver on a real etcd, and `token` is its administrator's. No controllers and no
 * kubelets: nothing creates the `default` service account of a namespace, and pods stay as they
 * were written.
 */
export interface Kubernetes extends KubernetesTarget, AsyncDisposable {
  /** The path of a kubeconfig for the administrator, which only its owner can read. */
  readonly kubeconfig: string;
  /** The API server's output so far. */
  readonly output: () => string;
  /** Kills the servers and removes their folders; a second call does nothing. */
  readonly stop: () => Promise<void>;
}

/** Another program may take the port between our look and the server's bind. */
const ATTEMPTS = 3;
const OK = 200;
const OUTPUT_LINES = 30;
/** The namespace is written by a separate loop, which readiness does not wait for. */
const SIGNS = ["/readyz", "/api/v1/namespaces/default"];

/**
 * Starts a control plane on a free loopback port and waits until it is ready; its two servers have
 * about 350 MB. Throws `BINARY_MISSING` when the programs were not built, `SERVER_FAILED` with a
 * server's output when it does not start in time.
 */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  for (let attempt = 1; ; attempt++) {
    const started = await tryStart(options);
    if ("address" in started) return started;
    if (attempt === ATTEMPTS) refuse("it ended", started.output);
  }
}

async function tryStart({
  deadlineMs = 60_000,
  callsEndpoints = false,
}: KubernetesOptions): Promise<Kubernetes | { readonly output: string }> {
  const programs = kubernetesPrograms(cacheFolder(process.env));
  // Its members end in the opposite order: without its store the API server hangs for a minute.
  await using stack = new AsyncDisposableStack();
  const own = stack.use(temporaryFolder());
  const etcd = stack.use(await startEtcd(programs.etcd, deadlineMs));
  const part = { etcdEndpoint: etcd.endpoint, callsEndpoints };
  const { target, server } = await launch(programs.apiServer, part, stack);
  if (!(await becomesReady(target, server, deadlineMs))) return { output: server.output() };
  const path = join(own.path, "kubeconfig");
  writeFileSync(path, kubeconfig(target), { mode: 0o600 });
  const started = stack.move();
  const stop = () => started.disposeAsync();
  return { ...target, kubeconfig: path, output: server.output, stop, [Symbol.asyncDispose]: stop };
}

async function launch(
  binary: string,
  part: Pick<ApiServerRequest, "etcdEndpoint" | "callsEndpoints">,
  stack: AsyncDisposableStack,
): Promise<{ readonly target: KubernetesTarget; readonly server: ServerProcess }> {
  const folder = stack.use(temporaryFolder(runsAsRoot() ? NOBODY : undefined)).path;
  const authority = await certificateAuthority("svc test API server CA");
  const [port, adminToken] = [freePort(), crypto.randomUUID()];
  const certificate = await authority.issue();
  const signingKeys = await tokenSigningKeys();
  const wanted = { ...part, folder, port, certificate, signingKeys, adminToken };
  const server = startServer({
    binary,
    arguments: apiServerFlags(wanted),
    folder,
    env: { HOME: folder, PATH: "/usr/bin:/bin" },
  });
  stack.defer(() => server.kill());
  const address = `https://127.0.0.1:${port}`;
  const target = { address, caPem: authority.certificatePem, token: adminToken };
  return { target, server };
}

/** True once it takes requests and has made its own objects; false when it ended instead. */
async function becomesReady(
  target: KubernetesTarget,
  server: ServerProcess,
  deadlineMs: number,
): Promise<boolean> {
  const isReady = async () => {
    if (server.exitCode() !== undefined) return "ended";
    const statuses = SIGNS.map((path) => statusOf(target, path));
    return (await Promise.all(statuses)).every((status) => status === OK) ? "ready" : undefined;
  };
  try {
    return (await waitFor(isReady, { deadlineMs, what: "it to be ready" })) === "ready";
  } catch (cause) {
    return refuse(String(cause), server.output(), cause);
  }
}

async function statusOf(target: KubernetesTarget, path: string): Promise<number | undefined> {
  try {
    return (await askKubernetes(target, { method: "GET", path })).status;
  } catch {
    // No server listens yet.
    return undefined;
  }
}

function refuse(reason: string, output: string, cause?: unknown): never {
  const said = output.trim().split("\n").slice(-OUTPUT_LINES).join("\n");
  throw new TestingError("SERVER_FAILED", `start kube-apiserver: ${reason}:\n${said}`, { cause });
}
