import { answerPart, answerText } from "../openbao/bao-api.ts";
import { callKubernetes, type KubernetesTarget } from "./kubernetes-api.ts";

/** Options of a token; the API server chooses the rest. */
export interface ServiceAccountTokenRequest {
  readonly audiences?: readonly string[];
  /** At least 600: the API server refuses less. */
  readonly expirationSeconds?: number;
  /** The pod that the token proves. */
  readonly boundObjectRef?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
  };
}

/**
 * Has the API server sign a token for a service account (TokenRequest), as `kubectl create token`
 * does.
 */
export async function createServiceAccountToken(
  target: KubernetesTarget,
  namespace: string,
  name: string,
  wanted: ServiceAccountTokenRequest = {},
): Promise<string> {
  const made = await callKubernetes(target, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: wanted },
  });
  return answerText(answerPart(made, "status"), "token");
}
