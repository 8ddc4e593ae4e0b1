import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { accountValues, imageValues, podValues } from "./pod-values.ts";
import { endpoints, objects, resources, text, texts, yesOrNo } from "./value-schemas.ts";

const program = imageValues(
  "",
  "Image with `/opt/svc/bin/svc`, with its tag or digest. Empty: REGISTRY/svc.",
);

const certificates: readonly ChartValue[] = [
  {
    path: "ca.configMap",
    default: "",
    schema: text,
    meaning:
      "ConfigMap in the release's namespace with the CA certificates to verify the store with. Sets VAULT_CACERT.",
  },
  {
    path: "ca.secret",
    default: "",
    schema: text,
    meaning: "Secret to take them from instead.",
  },
  {
    path: "ca.key",
    default: "ca.crt",
    schema: { ...text, minLength: 1 },
    meaning: "Key of the certificates in it.",
  },
  {
    path: "clientCertificate.secret",
    default: "",
    schema: text,
    meaning:
      "Secret of type kubernetes.io/tls whose certificate is shown to the store. Sets VAULT_CLIENT_CERT and VAULT_CLIENT_KEY.",
  },
  {
    path: "tokenReviewer.secret",
    default: "",
    schema: text,
    meaning:
      "Secret of type kubernetes.io/service-account-token of an account that may review tokens, for a store outside the cluster. Sets BOOTSTRAP_KUBERNETES_CA_CERT and BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE.",
  },
];

const rights: readonly ChartValue[] = [
  {
    path: "createOutputSecret",
    default: true,
    schema: yesOrNo,
    meaning:
      "Makes the output Secret, empty, if there is none. One that is there is never touched.",
  },
  {
    path: "createRole",
    default: true,
    schema: yesOrNo,
    meaning: "Makes the Role and its binding.",
  },
  ...accountValues(""),
];

const job: readonly ChartValue[] = [
  {
    path: "fullnameOverride",
    default: "",
    schema: { ...text, maxLength: 52 },
    meaning: "Name of all objects but the output Secret. Empty: made of the release's name.",
  },
  {
    path: "job.backoffLimit",
    default: 3,
    schema: { type: "integer", minimum: 0 },
    meaning:
      "How often a failed run is tried again. Every run goes on where the one before it stopped.",
  },
  {
    path: "job.activeDeadlineSeconds",
    default: 1800,
    schema: { type: "integer", minimum: 60 },
    meaning:
      "For all runs together; more than `settings.wait`. `helm --timeout` has to be as long.",
  },
  {
    path: "job.ttlSecondsAfterFinished",
    default: 86_400,
    schema: { type: "integer", minimum: 60 },
    meaning: "How long the finished Job and its log are kept.",
  },
  {
    path: "job.hookWeight",
    default: 0,
    schema: { type: "integer" },
    meaning: "Order among the hooks of a release.",
  },
  {
    path: "resources",
    default: {
      requests: { cpu: "50m", memory: "128Mi" },
      limits: { cpu: "1", memory: "256Mi" },
    },
    schema: resources,
    meaning: "The resources of the container.",
  },
  {
    path: "runAsUser",
    default: 65_532,
    schema: { type: ["integer", "null"], minimum: 1 },
    meaning: "User and group. `null` if the platform chooses one, as OpenShift does.",
  },
];

const afterwards: readonly ChartValue[] = [
  {
    path: "unseal.enabled",
    default: false,
    schema: yesOrNo,
    meaning:
      "Makes a CronJob that unseals pods which have restarted, with an account that may read the output Secret. That account is as good as the store's keys.",
  },
  {
    path: "unseal.schedule",
    default: "*/5 * * * *",
    schema: { ...text, minLength: 1 },
    meaning: "When it runs, as cron writes it: a pod stays sealed until then.",
  },
  {
    path: "reset.pod",
    default: "",
    schema: text,
    meaning:
      "If `settings.resetUnfinished` is true: the one pod that the Job may delete, with its claim. Empty: the first pod, `<settings.podPrefix or settings.releaseName>-0`.",
  },
];

const placement: readonly ChartValue[] = [
  ...podValues(""),
  {
    path: "extraVolumes",
    default: [],
    schema: objects,
    meaning: "Volumes for files that settings name.",
  },
  { path: "extraVolumeMounts", default: [], schema: objects, meaning: "Their mounts." },
];

const network: readonly ChartValue[] = [
  {
    path: "networkPolicy.enabled",
    default: false,
    schema: yesOrNo,
    meaning: "Lets the pod talk to the store, the API server and DNS, and to nothing else.",
  },
  {
    path: "networkPolicy.apiServer",
    default: [],
    schema: endpoints,
    meaning:
      "The addresses of the API server, for example `[{cidr: 192.0.2.10/32, port: 6443}]`: `kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes`.",
  },
  {
    path: "networkPolicy.storePodLabels",
    default: {},
    schema: texts,
    meaning:
      "Labels of the store's pods. Empty: those of the charts of OpenBao and Vault, `app.kubernetes.io/instance` and `component: server`.",
  },
  {
    path: "networkPolicy.dnsNamespaceLabels",
    default: { "kubernetes.io/metadata.name": "kube-system" },
    schema: texts,
    meaning: "Labels of the namespace of the cluster's DNS.",
  },
  {
    path: "networkPolicy.dnsPodLabels",
    default: { "k8s-app": "kube-dns" },
    schema: texts,
    meaning: "Labels of its pods.",
  },
];

/** The chart's values beside the command's settings: before them, and after them. */
export const ownValues: {
  readonly first: readonly ValueGroup[];
  readonly last: readonly ValueGroup[];
} = {
  first: [{ title: "Program", values: program }],
  last: [
    { title: "Files from the cluster", values: certificates },
    { title: "Rights", values: rights },
    { title: "Job", values: job },
    { title: "After the first run", values: afterwards },
    { title: "Pod", values: placement },
    { title: "Network policy", values: network },
  ],
};
