import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { accountValues, imageValues, podValues } from "./pod-values.ts";
import {
  endpoints,
  listOfTexts,
  objects,
  port,
  portRanges,
  resources,
  text,
  texts,
  unlessPlatform,
  yesOrNo,
} from "./value-schemas.ts";

const program: readonly ChartValue[] = [
  {
    path: "nameOverride",
    default: "",
    schema: { ...text, maxLength: 40, pattern: "^([a-z]([a-z0-9-]*[a-z0-9])?)?$" },
    meaning: "Prefix for the names of all objects. Empty: made of the release's name.",
  },
  ...imageValues(
    "operator.",
    "Image with `/opt/svc/bin/svc-operator`, with its tag or digest. Empty: REGISTRY/svc-operator.",
  ),
  {
    path: "operator.replicas",
    default: "",
    schema: unlessPlatform({ type: "integer", minimum: 1 }),
    meaning:
      "How many pods answer the API server. With one, pods that ask wait while it moves. Empty: 2, or 1 on kind.",
  },
  {
    path: "operator.port",
    default: "",
    schema: unlessPlatform(port),
    meaning:
      "Port of the pods. Empty: 8443, or 10250 on gke, whose firewall lets the API server reach 443 and 10250 only.",
  },
];

const permits: readonly ChartValue[] = [
  {
    path: "operator.evictPods",
    default: false,
    schema: yesOrNo,
    meaning:
      "Lets the operator evict pods, which `rotation-by: pod` needs. Only with operator.settings.rotationPermits.",
  },
];

const hints: readonly ChartValue[] = [
  {
    path: "operator.hints.tokenAudience",
    default: "vault",
    schema: text,
    meaning:
      "Audience of the token that the operator logs in with at operator.settings.hintsVaultAddress. The role there has to accept it.",
  },
  {
    path: "operator.hints.caSecret",
    default: "",
    schema: text,
    meaning:
      "Secret in the operator's namespace with the CA certificates that this vault is verified by. Empty: those of the image.",
  },
  {
    path: "operator.hints.caKey",
    default: "ca.crt",
    schema: text,
    meaning: "Its key.",
  },
];

const pod: readonly ChartValue[] = [
  {
    path: "operator.resources",
    default: { requests: { cpu: "100m", memory: "96Mi" }, limits: { memory: "256Mi" } },
    schema: resources,
    meaning:
      "The resources of the container. A limit of its processor time would be a limit of creating pods.",
  },
  {
    path: "operator.runAsUser",
    default: "",
    schema: unlessPlatform({ type: ["integer", "null"], minimum: 1 }),
    meaning:
      "User and group. `null` if the platform chooses one. Empty: 65532, or as `null` on openshift.",
  },
  {
    path: "operator.hostNetwork",
    default: false,
    schema: yesOrNo,
    meaning:
      "Puts the operator's pods into the network of their nodes. EKS needs it if the network plugin is not AWS's: the API server reaches only addresses of the VPC.",
  },
  {
    path: "operator.dnsPolicy",
    default: "",
    schema: { enum: ["", "ClusterFirst", "ClusterFirstWithHostNet", "Default"] },
    meaning:
      "How the operator's pods look names up. Empty: ClusterFirstWithHostNet in the network of the node, and otherwise Kubernetes' own default.",
  },
  {
    path: "operator.podDisruptionBudget",
    default: true,
    schema: yesOrNo,
    meaning: "Keeps one pod while nodes are drained. With one replica there is none.",
  },
  {
    path: "operator.spread",
    default: true,
    schema: yesOrNo,
    meaning:
      "Prefers different nodes and different zones for the pods. `affinity` takes precedence.",
  },
  {
    path: "operator.extraEnv",
    default: [],
    schema: objects,
    meaning:
      "Variables of the container, as a pod has them. The operator reads those of identities at clouds only, and those only for the logins of `settings.registryLogins`.",
  },
  {
    path: "operator.extraVolumes",
    default: [],
    schema: objects,
    meaning: "Volumes for files that settings name.",
  },
  {
    path: "operator.extraVolumeMounts",
    default: [],
    schema: objects,
    meaning: "Their mounts.",
  },
  ...podValues("operator.", "system-cluster-critical"),
  {
    path: "operator.priorityQuota",
    default: true,
    schema: yesOrNo,
    meaning:
      "Makes a ResourceQuota that allows the class in the namespace, which some clusters ask for. It limits nothing.",
  },
];

const rights: readonly ChartValue[] = [
  ...accountValues("operator."),
  {
    path: "operator.createRoles",
    default: true,
    schema: yesOrNo,
    meaning: "Makes the Roles, the ClusterRole and their bindings.",
  },
  {
    path: "operator.pullSecrets.access",
    default: "none",
    schema: { enum: ["none", "namespaces", "cluster"] },
    meaning:
      "The namespaces in which the operator may read Secrets and service accounts, for the pull secrets of images whose command it has to look up. `cluster` is every Secret of the cluster. Sets --read-pull-secrets.",
  },
  {
    path: "operator.pullSecrets.namespaces",
    default: [],
    schema: listOfTexts,
    meaning: "The namespaces, each of which gets a Role. They have to be there.",
  },
];

const network: readonly ChartValue[] = [
  {
    path: "operator.networkPolicy.enabled",
    default: false,
    schema: yesOrNo,
    meaning:
      "Allows traffic to the webhook's port, and traffic from the pods to the API server, DNS and registries.",
  },
  {
    path: "operator.networkPolicy.apiServer",
    default: [],
    schema: endpoints,
    meaning:
      "The addresses of the API server, for example `[{cidr: 192.0.2.10/32, port: 6443}]`: `kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes`.",
  },
  {
    path: "operator.networkPolicy.registries",
    default: [{ cidr: "0.0.0.0/0", port: 443 }],
    schema: endpoints,
    meaning:
      "The addresses of registries, their token servers and their storage. The policy excludes private addresses from wider blocks.",
  },
  {
    path: "operator.networkPolicy.identities",
    default: [],
    schema: endpoints,
    meaning:
      "The server from which the operator gets its identity for `settings.registryLogins`, if that is on the node. `[{cidr: 169.254.170.23/32, port: 80}]` for EKS Pod Identity, `[{cidr: 169.254.169.254/32, port: 80}]` for GKE and for the identities of nodes. Servers at public addresses, such as STS and Entra, are among `registries`.",
  },
  {
    path: "operator.networkPolicy.vault",
    default: [],
    schema: objects,
    meaning:
      "The way to the vault of `settings.hintsVaultAddress`: rules of egress, as a NetworkPolicy has them.",
  },
  {
    path: "operator.networkPolicy.wrapperPorts",
    default: [{ port: 8199, endPort: 8215 }],
    schema: portRanges,
    meaning:
      "The health ports of wrappers, at which they take version hints. The first container of a pod has 8199, each other one the next free port.",
  },
  {
    path: "operator.networkPolicy.clients",
    default: [],
    schema: listOfTexts,
    meaning:
      "Blocks of addresses that may ask. Empty: any, because API servers are on the network of their hosts, and Prometheus asks the same port.",
  },
  {
    path: "operator.networkPolicy.dnsNamespaceLabels",
    default: { "kubernetes.io/metadata.name": "kube-system" },
    schema: texts,
    meaning: "Labels of the namespace of the cluster's DNS.",
  },
  {
    path: "operator.networkPolicy.dnsPodLabels",
    default: { "k8s-app": "kube-dns" },
    schema: texts,
    meaning: "Labels of its pods.",
  },
  {
    path: "operator.networkPolicy.dnsAddresses",
    default: [],
    schema: listOfTexts,
    meaning:
      "Blocks of addresses of a DNS server outside of pods: `[169.254.169.254/32]` for Cloud DNS of GKE, `[169.254.20.10/32]` for NodeLocal DNSCache.",
  },
];

const monitoring: readonly ChartValue[] = [
  {
    path: "operator.serviceMonitor.enabled",
    default: false,
    schema: yesOrNo,
    meaning: "Makes a ServiceMonitor for the Prometheus operator.",
  },
  {
    path: "operator.serviceMonitor.interval",
    default: "30s",
    schema: text,
    meaning: "How often the metrics are read.",
  },
  {
    path: "operator.serviceMonitor.labels",
    default: {},
    schema: texts,
    meaning: "Labels by which a Prometheus chooses it.",
  },
];

/** The values of the chart `svc` for the operator beside its flags: before them, and after them. */
export const operatorValues: {
  readonly first: readonly ValueGroup[];
  readonly last: readonly ValueGroup[];
} = {
  first: [{ title: "Operator", values: program }],
  last: [
    { title: "Rotation permits", values: permits },
    { title: "Version hints of the operator", values: hints },
    { title: "Operator's pod", values: pod },
    { title: "Operator's rights", values: rights },
    { title: "Operator's network policy", values: network },
    { title: "Operator's metrics", values: monitoring },
  ],
};
