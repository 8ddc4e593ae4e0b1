import type { Pod } from "./pod.ts";
import { type Shape, shapeProblems } from "./shape.ts";

/** A pod, or all that keeps a value from being one. */
export type ParsedPod =
  | { readonly ok: true; readonly pod: Pod }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Checks everything of a pod that is read here. The value stays as it is, so that a patch fits it.
 */
export function parsePod(value: unknown): ParsedPod {
  const problems = shapeProblems(value, podShape, "pod");
  // The shape names each field of the type with the kind that the type has for it.
  return problems.length === 0 ? { ok: true, pod: value as Pod } : { ok: false, problems };
}

const texts: Shape = { list: "text" };
const portAction: Shape = { fields: { port: "port", host: "text", path: "text" } };
const probe: Shape = {
  fields: {
    exec: { fields: { command: texts } },
    httpGet: portAction,
    tcpSocket: portAction,
    grpc: portAction,
    periodSeconds: "number",
    timeoutSeconds: "number",
    failureThreshold: "number",
  },
};
const securityContext: Shape = {
  fields: {
    runAsUser: "number",
    runAsGroup: "number",
    runAsNonRoot: "boolean",
    capabilities: { fields: { add: texts, drop: texts } },
  },
};
const quantities: Shape = { map: "quantity" };
const container: Shape = {
  required: ["name"],
  fields: {
    name: "text",
    image: "text",
    imagePullPolicy: "text",
    command: texts,
    args: texts,
    env: { list: { required: ["name"], fields: { name: "text", value: "text" } } },
    envFrom: { list: "anything" },
    ports: {
      list: { required: ["containerPort"], fields: { containerPort: "number", name: "text" } },
    },
    volumeMounts: {
      list: {
        required: ["name", "mountPath"],
        fields: { name: "text", mountPath: "text", readOnly: "boolean" },
      },
    },
    resources: { fields: { requests: quantities, limits: quantities } },
    securityContext,
    readinessProbe: probe,
    livenessProbe: probe,
    startupProbe: probe,
    lifecycle: { fields: { postStart: probe, preStop: probe } },
    restartPolicy: "text",
    terminationMessagePath: "text",
  },
};
const nodeAffinity: Shape = {
  fields: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      fields: {
        nodeSelectorTerms: {
          list: {
            fields: {
              matchExpressions: {
                list: {
                  required: ["key", "operator"],
                  fields: { key: "text", operator: "text", values: texts },
                },
              },
            },
          },
        },
      },
    },
  },
};
const podShape: Shape = {
  required: ["metadata", "spec"],
  fields: {
    metadata: {
      fields: {
        name: "text",
        generateName: "text",
        namespace: "text",
        annotations: { map: "text" },
        labels: { map: "text" },
      },
    },
    spec: {
      required: ["containers"],
      fields: {
        containers: { list: container },
        initContainers: { list: container },
        volumes: { list: { required: ["name"], fields: { name: "text" } } },
        os: { fields: { name: "text" } },
        nodeSelector: { map: "text" },
        affinity: { fields: { nodeAffinity } },
        hostNetwork: "boolean",
        restartPolicy: "text",
        hostPID: "boolean",
        shareProcessNamespace: "boolean",
        terminationGracePeriodSeconds: "number",
        imagePullSecrets: { list: { fields: { name: "text" } } },
        securityContext,
        hostAliases: { list: { fields: { ip: "text", hostnames: texts } } },
        dnsConfig: { fields: { nameservers: texts, searches: texts } },
        resources: { fields: { requests: quantities, limits: quantities } },
      },
    },
  },
};
