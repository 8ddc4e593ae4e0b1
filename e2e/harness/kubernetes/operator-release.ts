import {
  type Answer,
  applyObject,
  askKubernetes,
  callKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  type KubernetesOptions,
  type KubernetesTarget,
  startKubernetes,
  waitFor,
} from "@svc/testing";
import { type HelmEnded, runHelm } from "./helm.ts";
import { NAMESPACE, neededValues, OPERATOR, operatorChart, RELEASE } from "./operator-chart.ts";

export const CONFIGURATION = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${OPERATOR}`;
export const CERTIFICATE = `/api/v1/namespaces/${NAMESPACE}/secrets/${OPERATOR}-tls`;
export const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${OPERATOR}`;
const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";
/** They outlive the release. */
export const GUARD = [
  `${REGISTRATION}/validatingadmissionpolicies/${OPERATOR}`,
  `${REGISTRATION}/validatingadmissionpolicybindings/${OPERATOR}`,
] as const;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** The definitions of SvcConfig and SvcPolicy, which Helm keeps at an upgrade. */
export const DEFINITIONS = [
  `${definitions}/svcconfigs.svc.internal`,
  `${definitions}/svcpolicies.svc.internal`,
] as const;
/** And the objects that belong to the definition of SvcPolicy. */
export const POLICY_FIELDS = [
  `${REGISTRATION}/validatingadmissionpolicies/svcpolicies.svc.internal`,
  `${REGISTRATION}/validatingadmissionpolicybindings/svcpolicies.svc.internal`,
] as const;
export const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${OPERATOR}`;

/**
 * An API server in which Helm installs the operator's chart. Nothing runs: there are no
 * controllers.
 */
export interface OperatorRelease extends AsyncDisposable {
  readonly kube: Kubernetes;
  /** Runs helm with the release's name and chart in the places in which the command takes them. */
  readonly helm: (words: readonly string[], values?: object) => Promise<HelmEnded>;
  readonly read: (path: string) => Promise<Answer>;
  /** The API server as the operator's account sees it. */
  readonly asOperator: () => Promise<KubernetesTarget>;
}

/** Starts it, with the namespaces `svc-system`, which is for restricted pods only, and `shop`. */
export async function operatorRelease(options?: KubernetesOptions): Promise<OperatorRelease> {
  const kube = await startKubernetes(options);
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  await makeNamespace(kube, NAMESPACE, restricted);
  await makeNamespace(kube, "shop");
  const read = (path: string) => callKubernetes(kube, { method: "GET", path });
  return {
    kube,
    read,
    helm: async ([command = "", ...flags], values) => {
      const chart = ["install", "upgrade"].includes(command) ? [operatorChart] : [];
      const words = [command, RELEASE, ...chart, "--namespace", NAMESPACE, ...flags];
      const wanted = { kubeconfig: kube.kubeconfig, ...(values && { values }) };
      return runHelm(words, wanted);
    },
    asOperator: async () => ({
      ...kube,
      token: await createServiceAccountToken(kube, NAMESPACE, OPERATOR),
    }),
    [Symbol.asyncDispose]: () => kube.stop(),
  };
}

/** Makes a namespace with the account that a controller would have made. */
export async function makeNamespace(kube: Kubernetes, name: string, labels = {}): Promise<void> {
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  const metadata = { name: "default", namespace: name };
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}

/** Installs the chart with `values`. */
export async function install(
  release: OperatorRelease,
  values: object = neededValues,
): Promise<void> {
  const { exitCode, stderr } = await release.helm(["install"], values);
  if (exitCode !== 0) throw new TypeError(stderr);
}

/**
 * Waits until the account has a right: the authoriser learns of a binding a moment after it is
 * stored.
 */
export async function hasRights(target: KubernetesTarget): Promise<void> {
  const reads = async () => {
    const { status } = await askKubernetes(target, { method: "GET", path: CERTIFICATE });
    return status === 200 || undefined;
  };
  await waitFor(reads, { deadlineMs: 20_000, what: "the operator's account to have its rights" });
}
