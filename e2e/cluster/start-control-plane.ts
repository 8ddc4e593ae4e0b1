import {
  applyObject,
  askKubernetes,
  cacheFolder,
  type KubernetesTarget,
  kubernetesPrograms,
  waitFor,
} from "@svc/testing";
import { API_ADDRESS, API_CLIENT, type ClusterKeys } from "./cluster-keys.ts";
import { NODE } from "./node-settings.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";

/** The folders in which the control plane finds and leaves its files. */
export interface ControlPlanePlaces {
  /** The folder of keys and settings. */
  readonly settings: string;
  readonly logs: string;
  /** The folder of the programs of Kubernetes. */
  readonly programs: string;
}

const ETCD = "http://127.0.0.1:2379";
const PEER = "http://127.0.0.1:2380";
const DEADLINE_MS = 60_000;

/**
 * Starts etcd, the API server, the controllers and the scheduler, and waits until pods can be made.
 */
export async function startControlPlane(
  places: ControlPlanePlaces,
  keys: ClusterKeys,
): Promise<KubernetesTarget> {
  const { settings, logs, programs } = places;
  const servers = kubernetesPrograms(cacheFolder(process.env));
  const start = (name: string, ...command: readonly string[]) =>
    startDaemon({ name, command, logs });
  start("etcd", servers.etcd, ...etcdFlags());
  const api = start("api-server", servers.apiServer, ...apiServerFlags(settings));
  const target = { address: API_ADDRESS, caPem: keys.caPem, token: keys.token };
  await answers(target, "/readyz", api);
  start(
    "controller-manager",
    `${programs}/kube-controller-manager`,
    ...controllerFlags(settings, keys.kubeconfigOf("controller-manager")),
  );
  start(
    "scheduler",
    `${programs}/kube-scheduler`,
    ...clientFlags(keys.kubeconfigOf("scheduler")),
    "--leader-elect=false",
  );
  await applyObject(target, kubeletRights);
  await answers(target, "/api/v1/namespaces/default/serviceaccounts/default", api);
  return target;
}

function etcdFlags(): readonly string[] {
  return [
    "--data-dir=/var/lib/etcd",
    "--name=test",
    "--log-level=warn",
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${PEER}`,
    `--initial-advertise-peer-urls=${PEER}`,
    `--initial-cluster=test=${PEER}`,
    // Its data is only for the tests, and need not survive a power cut.
    "--unsafe-no-fsync",
  ];
}

function apiServerFlags(settings: string): readonly string[] {
  return [
    `--etcd-servers=${ETCD}`,
    `--bind-address=${NODE.address}`,
    `--advertise-address=${NODE.address}`,
    `--secure-port=${NODE.apiPort}`,
    `--tls-cert-file=${settings}/api-server.crt`,
    `--tls-private-key-file=${settings}/api-server.key`,
    `--client-ca-file=${settings}/ca.crt`,
    `--token-auth-file=${settings}/users.csv`,
    `--kubelet-certificate-authority=${settings}/ca.crt`,
    `--kubelet-client-certificate=${settings}/api-client.crt`,
    `--kubelet-client-key=${settings}/api-client.key`,
    "--kubelet-preferred-address-types=InternalIP",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${settings}/tokens.pub`,
    `--service-account-signing-key-file=${settings}/tokens.key`,
    `--service-cluster-ip-range=${NODE.services}`,
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--allow-privileged=true",
    "--profiling=false",
  ];
}

function controllerFlags(settings: string, kubeconfig: string): readonly string[] {
  return [
    ...clientFlags(kubeconfig),
    "--leader-elect=false",
    `--root-ca-file=${settings}/ca.crt`,
    `--service-account-private-key-file=${settings}/tokens.key`,
    "--use-service-account-credentials",
  ];
}

function clientFlags(kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
  ];
}

/** The API server asks the kubelet for logs and for commands in pods. */
const kubeletRights = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "api-server-to-kubelet" },
  roleRef: {
    apiGroup: "rbac.authorization.k8s.io",
    kind: "ClusterRole",
    name: "system:kubelet-api-admin",
  },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: API_CLIENT }],
} as const;

async function answers(target: KubernetesTarget, path: string, server: Daemon): Promise<void> {
  const isThere = async () => {
    server.refuseEnded();
    try {
      return (await askKubernetes(target, { method: "GET", path })).status === 200;
    } catch {
      // The port is not open yet.
      return false;
    }
  };
  await waitFor(isThere, { deadlineMs: DEADLINE_MS, what: `${path} of the API server` });
}
