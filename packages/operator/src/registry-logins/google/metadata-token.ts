import { askLoginServer } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf } from "../read-answer.ts";
import { type GoogleToken, oauthToken } from "./google-token.ts";

const STEP = "get a token of the metadata server";
const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
const FLAVOR = { "Metadata-Flavor": "Google" } as const;
const account =
  "the operator's service account needs Workload Identity: roles/artifactregistry.reader for its principal, or the annotation iam.gke.io/gcp-service-account and roles/iam.workloadIdentityUser";

/**
 * Gets the token of the pod's service account, or of the node's if GKE has no Workload Identity
 * (Compute Engine, "Access tokens from the metadata server").
 *
 * @throws ImageError
 */
export async function metadataToken(server: URL, way: LoginWay): Promise<GoogleToken> {
  const operation = `${way.operation}: ${STEP} at ${server.host}`;
  const { headers, text } = await askLoginServer(way, {
    step: STEP,
    url: new URL(PATH, server),
    headers: FLAVOR,
    hints: {
      refused: account,
      unreachable: `the operator has to run in Google's cloud, and the network policy has to allow ${server.host}; elsewhere set GOOGLE_APPLICATION_CREDENTIALS`,
    },
  });
  // Google's own clients refuse answers without it: another program may listen at the address.
  if (headers.get("Metadata-Flavor") !== "Google") {
    const hint = "check GCE_METADATA_HOST and the server at this address";
    throw loginRefused(`${operation}: the answer is not from a metadata server`, { hint });
  }
  return oauthToken(fieldsOf(text, operation), operation);
}
