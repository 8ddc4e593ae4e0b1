import { spec } from "./definition-schema.ts";
import { status } from "./status-schema.ts";

/** The API group, and the version that is served and stored. */
export const GROUP = "svc.internal";
export const VERSION = "v1alpha1";

/**
 * How many are asked for at a time: etcd takes objects of 1.5 MiB, and an answer has 32 MiB at
 * most. A user who makes many large ones must not block the listing of others.
 */
export const CONFIG_PAGE = 20;

/** The CustomResourceDefinition of SvcConfig, as the cluster takes it. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: `svcconfigs.${GROUP}`,
    labels: { "app.kubernetes.io/name": "svc", "app.kubernetes.io/part-of": "svc" },
  },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: {
      kind: "SvcConfig",
      listKind: "SvcConfigList",
      plural: "svcconfigs",
      singular: "svcconfig",
      shortNames: ["svcc"],
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          column("Vault", "string", ".spec.vaultAddress", "Address of the vault."),
          column("Ready", "boolean", ".status.ready", "Whether it can be used."),
          column("Injected", "integer", ".status.injectedPods", "Pods that it was used for."),
          column("Age", "date", ".metadata.creationTimestamp", "Since when it is there."),
          wideColumn("Login", "string", ".spec.vaultAuthMethod", "How wrappers log in."),
          wideColumn("Role", "string", ".spec.vaultRole", "Role of the vault's auth method."),
          wideColumn("Message", "string", ".status.message", "The faults that were found."),
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description:
              "Settings for the pods of a namespace. Annotations of a pod take precedence.",
            required: ["spec"],
            properties: {
              apiVersion: { type: "string", description: `Always ${GROUP}/${VERSION}.` },
              kind: { type: "string", description: "Always SvcConfig." },
              metadata: { type: "object" },
              spec,
              status,
            },
          },
        },
      },
    ],
  },
} as const;

function column(name: string, type: string, jsonPath: string, description: string) {
  return { name, type, jsonPath, description };
}

/** `kubectl get -o wide` shows it. */
function wideColumn(name: string, type: string, jsonPath: string, description: string) {
  return { ...column(name, type, jsonPath, description), priority: 1 };
}
