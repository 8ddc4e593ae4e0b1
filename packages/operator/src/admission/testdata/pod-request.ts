import { goldenOperator } from "../../inject/testdata/golden-pods.ts";
import type { AdmissionContext } from "../admission-context.ts";
import type { AdmissionRequest } from "../admission-request.ts";

/** The question about a pod that is created in namespace `shop`. */
export function podRequest(
  object: unknown,
  more: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  return {
    uid: "11111111-2222-3333-4444-555555555555",
    kind: { group: "", version: "v1", kind: "Pod" },
    operation: "CREATE",
    namespace: "shop",
    name: "",
    subResource: "",
    dryRun: false,
    object,
    ...more,
  };
}

/** The same question as the API server sends it. */
export function podReview(object: unknown, more: Partial<AdmissionRequest> = {}): object {
  const request = podRequest(object, more);
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
}

/** A context without SvcConfigs, in which every image starts /app. */
export function plainContext(more: Partial<AdmissionContext> = {}): AdmissionContext {
  return {
    operator: goldenOperator,
    configsOf: async () => [],
    clusterDefault: () => undefined,
    imagesOf: async (images) => {
      const config = { entrypoint: ["/app"], command: [] };
      return new Map(images.map((image) => [image, { kind: "found", config }]));
    },
    ...more,
  };
}

/** A pod that asks for injection; only its image has the command. */
export const askingPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    generateName: "api-",
    namespace: "shop",
    annotations: {
      "svc.internal/inject": "true",
      "svc.internal/vault-address": "https://vault.test:8200",
      "svc.internal/vault-role": "api",
      "svc.internal/secret-paths": "kv/data/api",
      "svc.internal/env-map": "password=DB_PASSWORD",
    },
  },
  spec: { containers: [{ name: "app", image: "registry.test/app:1" }] },
};
