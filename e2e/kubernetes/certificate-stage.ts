import { type ClusterAccess, connectApi, type KubernetesApi } from "@svc/kubernetes";
import {
  type AdmissionContext,
  type AdmissionServer,
  type CertificateSource,
  type OperatorCertificates,
  operatorCertificates,
  operatorMetrics,
  runLeader,
  type ServedCertificate,
  serveAdmission,
} from "@svc/operator";
import { goldenOperator } from "@svc/operator/testdata";
import {
  applyObject,
  askKubernetes,
  freePort,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
} from "@svc/testing";
import { bindClusterRole, makeAccount, podAccess } from "../harness/kubernetes/key-keeper.ts";
import { operatorRules } from "./operator-rules.ts";

/** The namespace of the operator and its objects. */
export const NAMESPACE = "svc-system";
export const SECRET = "svc-operator-tls";
export const CONFIGURATION = "svc-operator";
const SERVICE = { namespace: NAMESPACE, name: "svc-operator" };
export const NAMES = [
  `${SERVICE.name}.${NAMESPACE}.svc`,
  `${SERVICE.name}.${NAMESPACE}.svc.cluster.local`,
];
export const secretPath = `/api/v1/namespaces/${NAMESPACE}/secrets/${SECRET}`;
export const configurationPath = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${CONFIGURATION}`;

/** A control plane with the chart's objects for the operator, and the operator's account. */
export interface CertificateStage extends AsyncDisposable {
  readonly kube: Kubernetes;
  readonly access: ClusterAccess;
  readonly api: KubernetesApi;
  /** A port for each replica; a pod is asked about at every one of them. */
  readonly ports: readonly number[];
  /** Everything that replicas wrote into their logs. */
  readonly lines: string[];
}

/** Starts it for that many replicas. */
export async function certificateStage(replicas: number): Promise<CertificateStage> {
  await using stack = new AsyncDisposableStack();
  const kube = stack.use(await startKubernetes());
  const folder = stack.use(temporaryFolder()).path;
  const token = await makeAccount(kube, SERVICE.name, operatorRules.role, NAMESPACE);
  await bindClusterRole(kube, SERVICE, operatorRules.clusterRole);
  await applyObject(kube, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace: NAMESPACE, name: "svc-operator" },
  });
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "shop", name: "default" },
  });
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "Service",
    metadata: SERVICE,
    // Without a network of pods: the API server goes to this name, and expects a certificate of the
    // service's.
    spec: { type: "ExternalName", externalName: "127.0.0.1" },
  });
  await makeSecret(kube);
  const ports = Array.from({ length: replicas }, freePort);
  await configureWebhooks(kube, ports);
  const access = await podAccess(kube, token, folder);
  const api = await connectApi(access);
  const running = stack.move();
  const dispose = () => running.disposeAsync();
  return { kube, access, api, ports, lines: [], [Symbol.asyncDispose]: dispose };
}

/** The Secret as the chart makes it. */
export async function makeSecret(kube: Kubernetes): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: SECRET };
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "Secret",
    type: "svc.internal/webhook-certificates",
    metadata,
  });
}

/** The configuration as a chart says it: without a bundle. */
export async function configureWebhooks(kube: Kubernetes, ports: readonly number[]): Promise<void> {
  await applyObject(kube, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: CONFIGURATION },
    webhooks: ports.map((port, index) => ({
      name: `replica-${index}.svc.internal`,
      clientConfig: { service: { ...SERVICE, port, path: "/mutate-v1-pod" } },
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
      ],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } },
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 5,
    })),
  });
}

/** One replica of the operator. */
export interface Replica {
  readonly leads: () => boolean;
  /** When each certificate that it served will end. */
  readonly expiries: readonly number[];
  readonly rotations: () => number;
  /** How many pods it was asked about. */
  readonly asked: () => number;
  /** Leaves leading to others. */
  readonly resign: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const context: AdmissionContext = {
  operator: goldenOperator,
  configsOf: async () => [],
  clusterDefault: () => undefined,
  imagesOf: async () => new Map(),
};

/**
 * Starts a replica on the stage's port of this number, with everything four times as fast as a
 * second.
 */
export function startReplica(
  stage: CertificateStage,
  index: number,
  source: CertificateSource,
): Replica {
  const end = new AbortController();
  const expiries: number[] = [];
  let rotations = 0;
  let asked = 0;
  const log = (level: string, message: string, fields?: object) => {
    stage.lines.push(`${index} ${level} ${message} ${JSON.stringify(fields ?? {})}`);
  };
  const certificates = operatorCertificates({
    ...{ api: stage.api, source, log, checkMs: 250 },
    webhooks: { configurations: [CONFIGURATION], service: SERVICE },
    metrics: {
      served: (expiresMs) => expiries.push(expiresMs),
      rotated: () => {
        rotations += 1;
      },
      patchFailed: () => log("error", "a patch failed"),
    },
  });
  let server: AdmissionServer | undefined;
  const following = certificates.follow((certificate) => {
    if (server !== undefined) server.replaceCertificate(certificate);
    else {
      server = listen(stage.ports[index] ?? 0, certificate, () => {
        asked += 1;
      });
    }
  }, end.signal);
  const resigned = new AbortController();
  const signal = AbortSignal.any([end.signal, resigned.signal]);
  const election = lead(stage, { index, certificates, signal });
  const stop = async () => {
    end.abort();
    await Promise.all([following, election.ended]);
    await server?.stop({ lingerMs: 0, graceMs: 1000 });
  };
  const resign = () => {
    resigned.abort();
    return election.ended;
  };
  const counts = { rotations: () => rotations, asked: () => asked };
  return { leads: election.leads, expiries, ...counts, resign, stop };
}

interface Election {
  readonly index: number;
  readonly certificates: OperatorCertificates;
  readonly signal: AbortSignal;
}

function lead({ api }: CertificateStage, { index, certificates, signal }: Election) {
  let isLeader = false;
  const ended = runLeader({
    ...{ api, signal, namespace: NAMESPACE, name: "svc-operator", identity: `replica-${index}` },
    times: { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 250 },
    log: () => undefined,
    onChange: (now) => {
      isLeader = now;
    },
    lead: certificates.lead,
  });
  return { leads: () => isLeader, ended };
}

function listen(
  port: number,
  certificate: ServedCertificate,
  onAsked: () => void,
): AdmissionServer {
  return serveAdmission({
    ...{ hostname: "127.0.0.1", port, certificate, context, metrics: operatorMetrics() },
    log: onAsked,
    notReady: () => undefined,
    limits: { retireMs: 1000 },
  });
}

/** Has the API server ask all replicas about a pod. */
export async function tryPod({
  kube,
}: CertificateStage): Promise<{ readonly status: number; readonly message: string }> {
  const body = {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { generateName: "api-" } },
    spec: { containers: [{ name: "app", image: "registry.test/app:1" }] },
  };
  const path = "/api/v1/namespaces/shop/pods?dryRun=All";
  const reply = await askKubernetes(kube, { method: "POST", path, body });
  return { status: reply.status, message: String(reply.body?.["message"] ?? "") };
}
