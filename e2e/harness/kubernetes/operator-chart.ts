import { join } from "node:path";
import type { KubernetesObject } from "@svc/testing";
import { parseManifest, runHelm } from "./helm.ts";

/** The operator's chart. */
export const operatorChart = join(import.meta.dirname, "../../../deploy/charts/svc");

/** The name of the tests' release, and its namespace. */
export const RELEASE = "svc";
export const NAMESPACE = "svc-system";
/** The chart's name for nearly all its objects. */
export const OPERATOR = "svc-operator";

/** The values that the chart requires. */
export const neededValues = {
  operator: {
    image: "registry.test/svc-operator:0.1.0",
    settings: { wrapperImage: "registry.test/svc-bundle:0.1.0" },
  },
} as const;

/** Values with those that the chart requires: of the operator, and beside it. */
export function withValues({ operator = {}, settings = {}, ...others }: SomeValues): object {
  const { image, settings: needed } = neededValues.operator;
  return { ...others, operator: { image, ...operator, settings: { ...needed, ...settings } } };
}

/** Values of the operator, of its settings, and of all else. */
export interface SomeValues {
  readonly operator?: object;
  readonly settings?: object;
  readonly [name: string]: unknown;
}

/** Everything that values can turn on, in the way that adds most objects. */
export const everything = withValues({
  operator: {
    networkPolicy: {
      enabled: true,
      apiServer: [{ cidr: "192.0.2.1/32", port: 6443 }],
      registries: [
        { cidr: "0.0.0.0/0", port: 443 },
        { cidr: "::/0", port: 443 },
        { cidr: "10.1.0.0/16", port: 5000 },
      ],
      clients: ["192.0.2.0/24"],
    },
    pullSecrets: { access: "namespaces", namespaces: ["shop", "bank"] },
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    tolerations: [{ key: "critical", operator: "Exists" }],
    nodeSelector: { "kubernetes.io/os": "linux" },
    podLabels: { team: "platform" },
    podAnnotations: { note: "none" },
    imagePullSecrets: [{ name: "registry" }],
    extraVolumes: [{ name: "ca", configMap: { name: "registries" } }],
    extraVolumeMounts: [{ name: "ca", mountPath: "/etc/registries", readOnly: true }],
  },
  webhook: {
    excludedNamespaces: ["calico-system"],
    namespaceSelector: {
      matchLabels: { secrets: "yes" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["front"] }],
    },
    objectSelector: { matchLabels: { "svc.internal/inject": "true" } },
    matchConditions: [{ name: "no-mirrors", expression: "!has(object.spec.nodeName)" }],
    annotations: { note: "none" },
  },
  certificate: { source: "secret", secret: "webhook-tls", authorityKey: "ca.crt" },
  agent: { enabled: true, image: "registry.test/svc-agent:0.1.0" },
  secretstore: {
    enabled: true,
    image: "registry.test/svc:0.1.0",
    settings: { storeAddr: "https://vault.vault:8200", releaseName: "vault" },
  },
});

/** The objects that the chart makes of values, without a cluster. Throws helm's complaint. */
export async function renderOperatorChart(
  values: object = neededValues,
): Promise<readonly KubernetesObject[]> {
  const words = ["template", RELEASE, operatorChart, "--namespace", NAMESPACE];
  const { exitCode, stdout, stderr } = await runHelm(words, { values });
  if (exitCode !== 0) throw new TypeError(stderr);
  return parseManifest(stdout);
}
