import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { AdmissionContext } from "../admission/admission-context.ts";
import type { OperatorMetrics } from "../admission/operator-metrics.ts";
import type { OperatorProcess } from "../flags/operator-process.ts";
import { ImageLookup } from "../image/image-lookup.ts";
import type { RegistrySettings } from "../image/registry-settings.ts";
import { askPodImages } from "../pod-images/ask-pod-images.ts";
import { noCredentials, readCredentials } from "../pod-images/pull-credentials.ts";
import { sharedImages } from "../pod-images/shared-images.ts";
import type { RegistryLogins } from "../registry-logins/providers/registry-logins.ts";
import type { ConfigStore } from "./config-store.ts";

/** The inputs for judging pods, beside the operator's flags. */
export interface ContextParts {
  readonly api: KubernetesApi;
  readonly configs: ConfigStore;
  readonly authorities: RegistrySettings["authorities"];
  /** The operator's own logins at registries. */
  readonly logins: Pick<RegistryLogins, "forNamespace">;
  readonly metrics: Pick<OperatorMetrics, "imageFailed">;
  readonly log: Log;
}

/** Combines the inputs for judging pods. */
export function operatorContext(
  { operator, defaultConfig, images, cluster }: OperatorProcess,
  { api, configs, authorities, logins, metrics, log }: ContextParts,
): AdmissionContext {
  const { imageSecret: name, namespace: home } = cluster;
  const shared = name === undefined ? undefined : sharedImages(api, { namespace: home, name }, log);
  const lookup = new ImageLookup({ settings: { ...images.registries, authorities }, shared });
  return {
    operator,
    configsOf: configs.configsOf,
    clusterDefault: () => {
      if (defaultConfig === undefined) return undefined;
      const { namespace, name } = defaultConfig;
      return configs.find(defaultConfig) ?? { absent: `${namespace}/${name}` };
    },
    imagesOf: askPodImages({
      lookup,
      credentials: images.readPullSecrets ? readCredentials(api) : noCredentials,
      loginsOf: (namespace) => logins.forNamespace(namespace),
      architectures: images.architectures,
      onFailure: metrics.imageFailed,
    }),
  };
}
