import { askKubernetes, type KubernetesTarget } from "@svc/testing";

/** The API server's answer to a pod. */
export interface CreatedPod {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a pod is created. */
export interface PodRequest {
  readonly namespace?: string;
  readonly dryRun?: boolean;
}

/** Creates a pod, by default in the namespace `shop`. */
export async function createPod(
  kube: KubernetesTarget,
  pod: object,
  { namespace = "shop", dryRun = false }: PodRequest = {},
): Promise<CreatedPod> {
  const path = `/api/v1/namespaces/${namespace}/pods${dryRun ? "?dryRun=All" : ""}`;
  const { status, body } = await askKubernetes(kube, { method: "POST", path, body: pod });
  return { status, body: body ?? {} };
}

/** The annotations that a pod without a SvcConfig needs. */
export const vaultAnnotations = {
  "svc.internal/vault-address": "https://vault.test:8200",
  "svc.internal/vault-role": "api",
  "svc.internal/secret-paths": "kv/data/api",
  "svc.internal/env-map": "password=DB_PASSWORD",
};

/** A pod with annotations and one container. */
export function podOf(annotations: object = {}, container: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "api-", annotations },
    spec: {
      containers: [{ name: "app", image: "registry.test/app:1", command: ["/app"], ...container }],
    },
  };
}

/** A pod that asks for injection and has all it needs, and more annotations. */
export function askingPod(annotations: object = {}, container: object = {}): object {
  const asking = { "svc.internal/inject": "true", ...vaultAnnotations, ...annotations };
  return podOf(asking, container);
}

/** The names of the containers that have the wrapper. */
export function wrappedIn({ body }: CreatedPod): readonly string[] {
  const containers: unknown = Object(body["spec"]).containers;
  const all: readonly unknown[] = Array.isArray(containers) ? containers : [];
  return all
    .filter((container) => Object(container).command?.[0] === "/opt/svc/bin/svc-wrapper")
    .map((container) => String(Object(container).name));
}

/** The value of a variable in the first container; undefined if the pod does not set it. */
export function variableIn({ body }: CreatedPod, name: string): string | undefined {
  const [container] = Object(body["spec"]).containers ?? [];
  const entries: readonly unknown[] = Object(container).env ?? [];
  const entry = entries.find((one) => Object(one).name === name);
  return entry === undefined ? undefined : String(Object(entry).value);
}

/** The answer's message, without the API server's prefix. Empty if the pod was created. */
export function messageIn({ status, body }: CreatedPod): string {
  const said = 'admission webhook "pods.svc.internal" denied the request: ';
  return status === 201 ? "" : String(body["message"]).replace(said, "");
}
