import { certificateAuthority } from "../certificates/certificate-authority.ts";
import { type BaoTarget, callBao } from "../openbao/bao-api.ts";
import { serviceAccountJwt } from "./service-account-jwt.ts";
import { type ReviewedAccount, startTokenReview } from "./token-review.ts";

/** A kubernetes login that works: the JWT to log in with, and the API server's stand-in to stop. */
export interface KubernetesAuth extends AsyncDisposable {
  readonly jwt: string;
  readonly stop: () => Promise<void>;
}

/** Mounts and configures `auth/<mount>` against a separate TokenReview server. */
export async function enableKubernetesAuth(
  target: BaoTarget,
  account: ReviewedAccount,
  mount = "kubernetes",
): Promise<KubernetesAuth> {
  const authority = await certificateAuthority("svc test API server CA");
  const jwt = serviceAccountJwt(account);
  const review = startTokenReview(jwt, account, await authority.issue());
  const config = {
    kubernetes_host: review.address,
    kubernetes_ca_cert: authority.certificatePem,
    // The server then does not look for the CA and the token of a pod it does not run in.
    disable_local_ca_jwt: true,
    token_reviewer_jwt: serviceAccountJwt({ ...account, name: "reviewer" }),
  };
  await callBao(target, {
    method: "POST",
    path: `sys/auth/${mount}`,
    body: { type: "kubernetes" },
  });
  await callBao(target, { method: "POST", path: `auth/${mount}/config`, body: config });
  return { jwt, stop: review.stop, [Symbol.asyncDispose]: review.stop };
}

/** Writes a role with the fields of `auth/kubernetes/role/<name>`. */
export async function writeKubernetesRole(
  target: BaoTarget,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  mount = "kubernetes",
): Promise<void> {
  await callBao(target, { method: "POST", path: `auth/${mount}/role/${name}`, body: fields });
}
