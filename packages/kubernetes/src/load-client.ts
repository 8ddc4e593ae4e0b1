import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { ClusterAccess } from "./cluster-access.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import type { ApiLogin } from "./send-request.ts";

/**
 * Reads how to reach the API server. The client is imported here and not above: that costs some 20
 * ms, which only code that needs it should pay.
 *
 * @throws KubernetesError `KUBECONFIG_UNUSABLE`
 */
export async function loadClient(access: ClusterAccess): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  return loadKubeconfig(access, () => new Config());
}

/** Logs in as the user of a kubeconfig. */
export function loginOf(kubeConfig: KubeConfig): ApiLogin {
  return {
    user: kubeConfig.getCurrentUser()?.name,
    options: async () => {
      const options: RequestOptions = {};
      await kubeConfig.applyToHTTPSOptions(options);
      return options;
    },
  };
}
