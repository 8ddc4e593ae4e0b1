import type { ReviewSettings } from "./bootstrap-settings.ts";
import { type Reading, requirePair } from "./reading.ts";

/** Reads how the store has tokens reviewed. */
export function readReview(reading: Reading): ReviewSettings {
  requirePair(
    reading,
    ["kubernetesCaCertPath", "BOOTSTRAP_KUBERNETES_CA_CERT"],
    ["reviewerTokenPath", "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE"],
  );
  const { kubernetesHost: host, kubernetesCaCertPath, reviewerTokenPath } = reading.values;
  if (kubernetesCaCertPath === undefined || reviewerTokenPath === undefined) return { host };
  return { host, files: { caCertPath: kubernetesCaCertPath, reviewerTokenPath } };
}
