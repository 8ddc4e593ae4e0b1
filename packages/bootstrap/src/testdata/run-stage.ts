import {
  type Intercept,
  STORE_PODS,
  STORE_SECRETS,
  type StoreInCluster,
  type StoreOptions,
  startStoreInCluster,
} from "@svc/testing";
import { createVaultAdministration, Secret } from "@svc/vault";
import { type InitOutcome, initStore } from "../init/init-store.ts";
import { loadFiles } from "../init/load-files.ts";
import { rehearseInit } from "../init/rehearse-init.ts";
import { connectKubernetes, type KubernetesCluster } from "../kubernetes/connect-kubernetes.ts";
import { Progress, type ProgressEvent } from "../progress.ts";
import { parsePhase } from "../secret/parse-phase.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import type { SecretPhase } from "../secret/secret-phase.ts";
import { writePhase } from "../secret/write-phase.ts";
import { type BootstrapSettings, parseBootstrapSettings } from "../settings.ts";
import type { InitTools } from "../tools/init-tools.ts";

/** A run that has ended: the result or the error, and the reported steps. */
export interface EndedRun<T> {
  readonly result: T | undefined;
  readonly error: unknown;
  /** `initialise created`, `unseal store-0 updated`, `waiting: …`, `warning: …`. */
  readonly steps: readonly string[];
}

/** How a run differs from the first one of a store. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly holder?: string;
}

/** A store that is not initialised, its cluster, and runs of the bootstrap. */
export interface RunStage extends StoreInCluster {
  readonly cluster: KubernetesCluster;
  readonly secret: SecretClient;
  /** The path of the output Secret in the API server. */
  readonly path: string;
  readonly tools: (progress: Progress) => Pick<InitTools, "cluster" | "administer" | "progress">;
  readonly settings: (environment?: RunOptions["environment"]) => BootstrapSettings;
  readonly init: (options?: RunOptions) => Promise<EndedRun<InitOutcome>>;
  readonly rehearse: (options?: RunOptions) => Promise<EndedRun<void>>;
  readonly phase: () => Promise<SecretPhase>;
  /** Writes the output Secret in a phase. */
  readonly putPhase: (phase: Parameters<typeof writePhase>[0], changed?: object) => void;
  /**
   * Answers at 127.9.0.1, in the place of the pod 0 or of the service; `pass` asks the store itself.
   */
  readonly throughGateway: (answer: GatewayAnswer, place?: "pod" | "service") => AsyncDisposable;
}

/** The answer to a request to a pod. */
export type GatewayAnswer = (
  path: string,
  pass: () => Promise<Response>,
) => Response | Promise<Response>;

/** Starts one. */
export async function runStage(options?: StoreOptions): Promise<RunStage> {
  const store = await startStoreInCluster(options);
  const kubeconfig = store.environment["KUBECONFIG"] ?? "";
  const cluster = await connectKubernetes({ kind: "kubeconfig", paths: [kubeconfig] });
  const secret = cluster.secret({ namespace: "1", name: "svc-vault-init" });
  const path = `${STORE_SECRETS}/svc-vault-init`;
  const tools: RunStage["tools"] = (progress) => ({
    ...{ cluster, progress },
    administer: (address, deadlineMs = 2000) =>
      createVaultAdministration({ address, tls: { skipVerify: false }, retry: { deadlineMs } }),
  });
  const settings: RunStage["settings"] = (environment = {}) => {
    const all = { ...store.environment, ...environment };
    const read = { environment: new Map(Object.entries(all)), flags: [] };
    const parsed = parseBootstrapSettings(read);
    if (parsed.kind === "settings") return parsed.settings;
    throw new TypeError(`expected settings: ${JSON.stringify(parsed)}`);
  };
  const run =
    <T>(act: typeof initStore | typeof rehearseInit) =>
    async ({ environment, token, holder = "run-1" }: RunOptions = {}): Promise<EndedRun<T>> => {
      const wanted = settings(environment);
      const files = await loadFiles(wanted);
      return recorded(async (progress) => {
        const own = { holder, token: token === undefined ? undefined : new Secret(token) };
        const deferSignals = () => ({ [Symbol.dispose]: () => undefined });
        const result = await act(wanted, files, { ...tools(progress), ...own, deferSignals });
        // Both are called with a type of their own results.
        return result as T;
      });
    };
  return {
    ...store,
    ...{ cluster, secret, path, tools, settings },
    init: run<InitOutcome>(initStore),
    rehearse: run<void>(rehearseInit),
    phase: async () => parsePhase(await secret.read()),
    putPhase: (phase, changed = {}) => {
      const { labels, annotations, type, data } = writePhase(phase);
      const texts = [...data].map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
      const metadata = { name: "svc-vault-init", labels, annotations };
      store.server.put(path, { metadata, type, data: Object.fromEntries(texts), ...changed });
    },
    throughGateway: (answer, place = "pod") => {
      const proxy = gateway(store.nodes[0].address, answer);
      return place === "pod" ? asPod(store, proxy) : proxy;
    },
  };
}

/** Runs something that reports its progress. */
export async function recorded<T>(act: (progress: Progress) => Promise<T>): Promise<EndedRun<T>> {
  const steps: string[] = [];
  const progress = new Progress((event) => steps.push(...stepText(event)));
  try {
    return { result: await act(progress), error: undefined, steps };
  } catch (error) {
    return { result: undefined, error, steps };
  }
}

function stepText(event: ProgressEvent): readonly string[] {
  switch (event.event) {
    case "started":
      return [];
    case "waiting":
      return [`waiting: ${event.for}`];
    case "warning":
      return [`warning: ${event.message}`];
    case "failed":
    case "ended": {
      const { step, target } = event;
      const outcome = event.event === "failed" ? "failed" : event.outcome;
      return [[step, target, outcome].filter((word) => word !== undefined).join(" ")];
    }
  }
}

function gateway(address: string, answer: GatewayAnswer): AsyncDisposable {
  const proxy = Bun.serve({
    ...{ hostname: "127.9.0.1", port: Number(new URL(address).port) },
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? {} : { body: await request.arrayBuffer() };
      return answer(pathname, () => fetch(`${address}${pathname}`, { method, headers, ...body }));
    },
  });
  return { [Symbol.asyncDispose]: () => proxy.stop(true) };
}

/** The pod's address is the proxy's from now on. */
function asPod(store: StoreInCluster, proxy: AsyncDisposable): AsyncDisposable {
  const path = `${STORE_PODS}/store-0`;
  const pod = Object(store.server.get(path));
  store.server.put(path, { ...pod, spec: { ...pod.spec, subdomain: "9.0" } });
  return {
    [Symbol.asyncDispose]: async () => {
      store.server.put(path, pod);
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Fails the writes of the output Secret that `isOne` chooses. */
export function onWrite(
  isOne: (data: Readonly<Record<string, unknown>>, isTried: boolean) => boolean,
  answer: Intercept,
): Intercept {
  return (request) => {
    const { method, query, body } = request;
    if (method !== "PUT" && method !== "POST") return undefined;
    const data = Object(Object(body).data);
    return isOne(data, query["dryRun"] === "All") ? answer(request) : undefined;
  };
}
