import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  callKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  type KubernetesTarget,
  kubeconfig,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { NAMESPACE, OPERATOR, withValues } from "../harness/kubernetes/operator-chart.ts";
import {
  DEPLOYMENT,
  install,
  type OperatorRelease,
  operatorRelease,
} from "../harness/kubernetes/operator-release.ts";
import { createPod, podOf } from "./created-pods.ts";
import { ownAddress } from "./own-address.ts";
import { type Replica, type ReplicaOptions, startReplica } from "./replica.ts";

/**
 * The operator as the chart installs it, in a real API server. This code does the work of
 * Kubernetes' controllers and kubelets: replicas are processes, and the endpoints of the service
 * are the replicas that answer /readyz with 200.
 */
export interface RunningOperator extends AsyncDisposable {
  readonly release: OperatorRelease;
  readonly kube: Kubernetes;
  /** Those that are there now. */
  readonly replicas: ReadonlySet<Replica>;
  /** Starts one more; it gets questions once it is ready. */
  readonly start: (wanted?: ReplicaRequest) => Replica;
  /** As `start`, and waits until the API server may ask it. */
  readonly startReady: (wanted?: ReplicaRequest) => Promise<Replica>;
  /** Kills all and starts one in their place; resolved when the API server asks it. */
  readonly replace: (wanted?: ReplicaRequest) => Promise<Replica>;
  /** Has Helm change the values, and replaces the replicas by one that has the flags of these. */
  readonly upgrade: (values: object) => Promise<Replica>;
  /** Has it end as a kubelet does, and waits for it. */
  readonly end: (replica: Replica) => Promise<number>;
  /** Kills it without a word. */
  readonly kill: (replica: Replica) => Promise<void>;
  /** The output of all replicas that ever ran. */
  readonly outputs: () => string;
  /**
   * Writes a kubeconfig of the operator's account that differs from its own, and gives its path.
   */
  readonly writeKubeconfig: (target: Partial<KubernetesTarget>) => string;
}

/** The differences from a pod of the Deployment. */
export type ReplicaRequest = Partial<
  Pick<ReplicaOptions, "env" | "within" | "folder" | "kubeconfig">
> & {
  /** They take the place of the Deployment's. */
  readonly flags?: readonly string[];
};

/** How the operator is installed. */
export interface OperatorRequest {
  /** Values of the chart. */
  readonly values?: object;
  readonly replicas?: number;
}

/** A kubelet probes every two seconds; here time is dearer. */
const PROBE_MS = 100;

/**
 * Installs the chart and starts replicas; resolved when all of them are ready and known to the API
 * server.
 */
export async function runningOperator(wanted: OperatorRequest = {}): Promise<RunningOperator> {
  await using stack = new AsyncDisposableStack();
  const release = stack.use(await operatorRelease({ callsEndpoints: true }));
  const { kube } = release;
  await install(release, wanted.values ?? withValues({}));
  const folder = stack.use(temporaryFolder());
  chmodSync(folder.path, 0o755);
  const token = await createServiceAccountToken(kube, NAMESPACE, OPERATOR);
  const writeKubeconfig = (target: Partial<KubernetesTarget> = {}): string => {
    const path = join(folder.path, crypto.randomUUID());
    writeFileSync(path, kubeconfig({ ...kube, token, ...target }), { mode: 0o644 });
    return path;
  };
  let args = await argumentsIn(release);
  const crew = crewOf(release.kube, {
    ...{ kubeconfig: writeKubeconfig(), folder: folder.path },
    args: () => args,
  });
  stack.defer(crew.stop);
  const { replicas, start, startReady } = crew;
  const replace = async (wanted?: ReplicaRequest): Promise<Replica> => {
    await crew.killAll();
    const replica = await startReady(wanted);
    await isAsked(release, replica, args);
    return replica;
  };
  await Promise.all(Array.from({ length: wanted.replicas ?? 1 }, () => startReady()));
  const running = stack.move();
  return {
    ...{ release, kube, replicas, start, startReady, replace, kill: crew.kill, writeKubeconfig },
    upgrade: async (values) => {
      const { exitCode, stderr } = await release.helm(["upgrade", "--reset-values"], values);
      if (exitCode !== 0) throw new TypeError(stderr);
      args = await argumentsIn(release);
      return replace();
    },
    end: crew.end,
    outputs: crew.outputs,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface CrewOptions {
  readonly kubeconfig: string;
  readonly folder: string;
  /** Those of the Deployment, now. */
  readonly args: () => readonly string[];
}

/** The replicas, and their endpoints. */
function crewOf(kube: Kubernetes, { kubeconfig, folder, args }: CrewOptions) {
  const replicas = new Set<Replica>();
  const outputs: (() => string)[] = [];
  const endpoints = endpointKeeper(kube, replicas);
  const kill = async (replica: Replica): Promise<void> => {
    await replica.process.kill();
    replicas.delete(replica);
  };
  const killAll = async () => {
    await Promise.all([...replicas].map(kill));
  };
  const start = ({ flags = [], ...wanted }: ReplicaRequest = {}): Replica => {
    const name = `${OPERATOR}-${outputs.length}`;
    const started = startReplica({ name, args: args(), flags, kubeconfig, folder, ...wanted });
    replicas.add(started);
    outputs.push(started.process.output);
    return started;
  };
  return {
    ...{ replicas, start, kill, killAll },
    startReady: async (wanted?: ReplicaRequest): Promise<Replica> => {
      const replica = start(wanted);
      await waitFor(() => endpoints.isKnown(replica) || ended(replica), {
        deadlineMs: 60_000,
        what: `${replica.name} to be ready: ${replica.process.output()}`,
      });
      return replica;
    },
    end: async (replica: Replica): Promise<number> => {
      replica.process.signal("SIGTERM");
      const code = await replica.process.ended;
      replicas.delete(replica);
      return code;
    },
    outputs: () => outputs.map((output) => output()).join(""),
    stop: async () => {
      try {
        await killAll();
      } finally {
        await endpoints.stop();
      }
    },
  };
}

/** Those of the operator's container. */
async function argumentsIn(release: OperatorRelease): Promise<readonly string[]> {
  const deployment = await release.read(DEPLOYMENT);
  const [container] = Object(deployment?.["spec"]).template.spec.containers;
  return container.args;
}

/** The API server learns of endpoints, and of changed webhooks, a moment after they are stored. */
async function isAsked(
  { kube }: OperatorRelease,
  replica: Replica,
  args: readonly string[],
): Promise<void> {
  const flag = "--annotation-prefix=";
  const prefix = args.find((word) => word.startsWith(flag))?.slice(flag.length) ?? "svc.internal";
  // Something under the prefix, so that the operator is asked, and not for injection.
  const pod = podOf({ [`${prefix}/asked`]: replica.name });
  const reached = async () => {
    await createPod(kube, pod, { dryRun: true });
    const metrics = await replica.ask("/metrics");
    return /admissions_total\{outcome="skipped"\} [1-9]/.test(metrics?.text ?? "");
  };
  await waitFor(reached, { deadlineMs: 30_000, what: `the API server to ask ${replica.name}` });
}

function ended({ process, name }: Replica): false {
  if (process.exitCode() === undefined) return false;
  throw new TypeError(`${name} has ended: ${process.output()}`);
}

/** One slice for each replica: all have the address of this machine, and each its own port. */
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
