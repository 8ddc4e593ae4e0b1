import type { Certificate, KubernetesObject } from "@svc/testing";

/** The store of the stories: its place, and the name of its release. */
export const STORE = {
  namespace: "vault",
  release: "vault",
  /** As pods of other namespaces call it. */
  address: "https://vault.vault:8200",
  /** A second service, which stories can close. Its clients then find no store. */
  gate: "https://gate.vault:8200",
  pods: ["vault-0", "vault-1", "vault-2"],
  /** The ConfigMap with the authority of its certificate. */
  authority: "vault-ca",
  user: 65_532,
} as const;

/** The input for the store's objects. */
export interface WantedStore {
  readonly image: string;
  readonly certificate: Certificate;
  readonly caPem: string;
}

/** The names that the store's certificate has to be good for. */
export function storeNames(): readonly string[] {
  const { namespace, release, pods } = STORE;
  const service = [`${release}.${namespace}`, `${release}.${namespace}.svc`];
  const each = pods.map((pod) => `${pod}.${release}-internal.${namespace}`);
  const whole = pods.map(wholeName);
  return [...service, `${service[1]}.cluster.local`, `gate.${namespace}`, ...each, ...whole];
}

/** The name of a pod for a process that has no search list as pods have. */
export function wholeName(pod: string): string {
  return `${pod}.${STORE.release}-internal.${STORE.namespace}.svc.cluster.local`;
}

/** The folder of a pod's disk on the node. */
export function diskOf(pod: string): string {
  return `/var/lib/store-disks/${pod}`;
}

const labels = { "app.kubernetes.io/instance": STORE.release, component: "server" };
const { namespace, release } = STORE;

/** OpenBao as a StatefulSet of three pods with Raft and TLS, as its chart makes it. */
export function storeObjects({
  image,
  certificate,
  caPem,
}: WantedStore): readonly KubernetesObject[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: release } },
    mayReviewTokens,
    {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "vault-tls" } },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": certificate.certificatePem, "tls.key": certificate.keyPem },
    },
    {
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { namespace, name: STORE.authority },
      data: { "ca.crt": caPem },
    },
    {
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "vault-config" } },
      data: { "server.json": JSON.stringify(serverConfig) },
    },
    ...STORE.pods.map(disk),
    service(release, { ports: [{ name: "https", port: 8200 }] }),
    service(`${release}-internal`, {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      ports: [
        { name: "https", port: 8200 },
        { name: "raft", port: 8201 },
      ],
    }),
    gateService("open"),
    statefulSet(image),
  ];
}

/** The gate: closed, no pod has its labels, and connections to it are refused. */
export function gateService(state: "open" | "closed"): KubernetesObject {
  const selector = { ...labels, gate: state };
  return service("gate", { selector, ports: [{ name: "https", port: 8200 }] });
}

const mayReviewTokens: KubernetesObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "vault-reviews-tokens" },
  roleRef: {
    ...{ apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole" },
    name: "system:auth-delegator",
  },
  subjects: [{ kind: "ServiceAccount", name: release, namespace }],
};

const serverConfig = {
  listener: [
    {
      tcp: {
        address: "0.0.0.0:8200",
        cluster_address: "0.0.0.0:8201",
        tls_cert_file: "/tls/tls.crt",
        tls_key_file: "/tls/tls.key",
      },
    },
  ],
  // The multiplier is for production's slow networks: 1 finds a new leader sooner.
  storage: { raft: { path: "/data", performance_multiplier: 1 } },
  log_level: "warn",
};

/** No cluster without a cloud has a provisioner: each claim has a disk that waits for it. */
function disk(pod: string): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `disk-${pod}` },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "node",
      claimRef: { namespace, name: `data-${pod}` },
      hostPath: { path: diskOf(pod), type: "Directory" },
    },
  };
}

function service(name: string, spec: object): KubernetesObject {
  const metadata = { namespace, name };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ...spec } };
}

function statefulSet(image: string): KubernetesObject {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { namespace, name: release },
    spec: {
      replicas: STORE.pods.length,
      serviceName: `${release}-internal`,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: { metadata: { labels: { ...labels, gate: "open" } }, spec: podSpec(image) },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "node",
            resources: { requests: { storage: "1Gi" } },
          },
        },
      ],
    },
  };
}

function podSpec(image: string): object {
  const peer = `$(POD_NAME).${release}-internal.${namespace}`;
  return {
    serviceAccountName: release,
    terminationGracePeriodSeconds: 10,
    securityContext: { runAsUser: STORE.user, runAsGroup: STORE.user, runAsNonRoot: true },
    containers: [
      {
        name: "openbao",
        image,
        command: ["/bin/bao", "server", "-config=/config/server.json"],
        env: [
          { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "BAO_RAFT_NODE_ID", value: "$(POD_NAME)" },
          { name: "BAO_API_ADDR", value: `https://${peer}:8200` },
          { name: "BAO_CLUSTER_ADDR", value: `https://${peer}:8201` },
        ],
        readinessProbe: {
          httpGet: { path: "/v1/sys/health?standbyok=true", port: 8200, scheme: "HTTPS" },
          periodSeconds: 2,
        },
        volumeMounts: [
          { name: "data", mountPath: "/data" },
          { name: "tls", mountPath: "/tls", readOnly: true },
          { name: "config", mountPath: "/config", readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: "tls", secret: { secretName: "vault-tls" } },
      { name: "config", configMap: { name: "vault-config" } },
    ],
  };
}
