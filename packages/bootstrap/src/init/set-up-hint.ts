import { VaultError, type VaultErrorCode } from "@svc/vault";
import type { AuthConfigRequest } from "../store/auth-config.ts";
import type { SetUpStep } from "./set-up-steps.ts";

/**
 * An error of a step of the set-up with a hint that names this command's variables. The client's
 * own hints know nothing of this set-up.
 */
export function withSetUpHint(
  error: unknown,
  step: SetUpStep,
  review: Pick<AuthConfigRequest, "outside">,
): unknown {
  if (!(error instanceof VaultError)) return error;
  const { code, message, status, path, retryAfterMs, cause } = error;
  const hint = setUpHint(code, step, review);
  if (hint === undefined) return error;
  return new VaultError(code, message, { hint, status, path, retryAfterMs, cause });
}

/** The hint for a step that the store refuses; undefined if the client's own hint helps. */
export function setUpHint(
  code: VaultErrorCode,
  step: SetUpStep,
  { outside = false }: Pick<AuthConfigRequest, "outside">,
): string | undefined {
  switch (code) {
    case "DENIED":
      return `the token has to be allowed to read and to change ${places[step]}: give an administrator's with --token-stdin`;
    case "BAD_REQUEST":
      return step === "auth-config" ? reviewHints[outside ? "outside" : "inside"] : requests[step];
    case "SERVER_ERROR":
      return step === "auth-config"
        ? "read the store's log: it has the reason why the store cannot use its stored auth method"
        : undefined;
    default:
      return undefined;
  }
}

const places: Readonly<Record<SetUpStep, string>> = {
  "kv-mount": "sys/mounts and the engine's config",
  "auth-mount": "sys/auth",
  "auth-config": "auth/<path>/config",
  policy: "sys/policies/acl and sys/auth",
  role: "auth/<path>/role",
  "hints-policy": "sys/policies/acl",
  "hints-role": "auth/<path>/role",
};

const requests: Readonly<Record<Exclude<SetUpStep, "auth-config">, string>> = {
  "kv-mount": "check BOOTSTRAP_KV_PATH",
  "auth-mount": "check BOOTSTRAP_AUTH_PATH",
  policy: "check BOOTSTRAP_POLICY_NAME and BOOTSTRAP_KV_PATH",
  role: "check BOOTSTRAP_ROLE_TTL, BOOTSTRAP_ROLE_AUDIENCE and the names that the role is bound to",
  "hints-policy": "check BOOTSTRAP_HINTS_ROLE. The capability `scan` is OpenBao's",
  "hints-role": "check BOOTSTRAP_HINTS_ROLE and BOOTSTRAP_HINTS_SA",
};

const reviewHints = {
  outside:
    "check BOOTSTRAP_KUBERNETES_HOST, and that BOOTSTRAP_KUBERNETES_CA_CERT and BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE are of that cluster",
  inside:
    "the store reads its own service account's files to review tokens: have its pods mount them (automountServiceAccountToken), or, for a store outside of the cluster, set BOOTSTRAP_KUBERNETES_CA_CERT and BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE",
} as const;
