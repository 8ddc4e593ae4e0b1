import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  callKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  kubeconfig,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { NAMESPACE, OPERATOR, withValues } from "../kubernetes/operator-chart.ts";
import {
  DEPLOYMENT,
  install,
  type OperatorRelease,
  operatorRelease,
} from "../kubernetes/operator-release.ts";
import { ownAddress } from "./own-address.ts";
import { type Replica, startReplica } from "./replica.ts";

/**
 * The operator as the chart installs it, in a real API server, with what Kubernetes' controllers and kubelets would do done
 * here: replicas are processes, and the endpoints of its service are those that answer /readyz with 200.
 */
export interface RunningOperator extends AsyncDisposable {
  readonly release: OperatorRelease;
  readonly kube: Kubernetes;
  /** Those that are there now. */
  readonly replicas: ReadonlySet<Replica>;
  /** Starts one more; it gets questions once it is ready. */
  readonly start: (flags?: readonly string[]) => Promise<Replica>;
  /** As `start`, and waits until the API server may ask it. */
  readonly startReady: (flags?: readonly string[]) => Promise<Replica>;
  /** Has it end as a kubelet does, and waits for it. */
  readonly end: (replica: Replica) => Promise<number>;
  /** Kills it without a word. */
  readonly kill: (replica: Replica) => Promise<void>;
}

/** How the operator is installed. */
export interface OperatorWish {
  /** Values of the chart. */
  readonly values?: object;
  readonly replicas?: number;
}

/** A kubelet probes every two seconds; here time is dearer. */
const PROBE_MS = 100;

/** Installs the chart and starts replicas; resolved when all of them are ready and known to the API server. */
export async function runningOperator(wish: OperatorWish = {}): Promise<RunningOperator> {
  await using stack = new AsyncDisposableStack();
  const release = stack.use(await operatorRelease({ callsEndpoints: true }));
  const { kube } = release;
  await install(release, wish.values ?? withValues({}));
  const folder = stack.use(temporaryFolder());
  chmodSync(folder.path, 0o755);
  const config = join(folder.path, "kubeconfig");
  const token = await createServiceAccountToken(kube, NAMESPACE, OPERATOR);
  writeFileSync(config, kubeconfig({ ...kube, token }), { mode: 0o644 });
  const deployment = await release.read(DEPLOYMENT);
  const [container] = Object(deployment?.["spec"]).template.spec.containers;
  const args: readonly string[] = container.args;
  const replicas = new Set<Replica>();
  const endpoints = endpointKeeper(kube, replicas);
  stack.defer(endpoints.stop);
  stack.defer(async () => {
    await Promise.all([...replicas].map((replica) => replica.process.kill()));
  });
  let count = 0;
  const start = async (flags: readonly string[] = []): Promise<Replica> => {
    const name = `${OPERATOR}-${count++}`;
    const started = startReplica({ name, args, flags, kubeconfig: config, folder: folder.path });
    replicas.add(started);
    return started;
  };
  const startReady = async (flags?: readonly string[]): Promise<Replica> => {
    const replica = await start(flags);
    await waitFor(() => endpoints.isKnown(replica) || ended(replica), {
      deadlineMs: 60_000,
      what: `${replica.name} to be ready: ${replica.process.output()}`,
    });
    return replica;
  };
  const gone = async (replica: Replica): Promise<number> => {
    const code = await replica.process.ended;
    replicas.delete(replica);
    return code;
  };
  await Promise.all(Array.from({ length: wish.replicas ?? 1 }, () => startReady()));
  const running = stack.move();
  return {
    ...{ release, kube, replicas, start, startReady },
    end: (replica) => {
      replica.process.signal("SIGTERM");
      return gone(replica);
    },
    kill: async (replica) => {
      await replica.process.kill();
      replicas.delete(replica);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function ended({ process, name }: Replica): false {
  if (process.exitCode() === undefined) return false;
  throw new TypeError(`${name} has ended: ${process.output()}`);
}

/** One slice for each replica: all have the address of this machine, and each a port of its own. */
function endpointKeeper(kube: Kubernetes, replicas: ReadonlySet<Replica>) {
  const known = new Set<Replica>();
  let stopped = false;
  const look = async (): Promise<void> => {
    const asked = [...replicas].map(async (replica) => {
      return [replica, (await replica.ask("/readyz"))?.status === 200] as const;
    });
    for (const [replica, isReady] of await Promise.all(asked)) {
      if (isReady && !known.has(replica)) await publish(kube, replica);
      if (isReady) known.add(replica);
      else await withdraw(kube, known, replica);
    }
    for (const replica of known) if (!replicas.has(replica)) await withdraw(kube, known, replica);
  };
  const running = (async () => {
    while (!stopped) {
      await look();
      await Bun.sleep(PROBE_MS);
    }
  })();
  return {
    isKnown: (replica: Replica) => known.has(replica),
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

const SLICES = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

async function publish(kube: Kubernetes, { name, port }: Replica): Promise<void> {
  await applyObject(kube, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: NAMESPACE, labels: { "kubernetes.io/service-name": OPERATOR } },
    addressType: "IPv4",
    endpoints: [{ addresses: [ownAddress()], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  });
}

async function withdraw(kube: Kubernetes, known: Set<Replica>, replica: Replica): Promise<void> {
  if (!known.delete(replica)) return;
  await callKubernetes(kube, { method: "DELETE", path: `${SLICES}/${replica.name}` });
}
