import { createHash } from "node:crypto";
import type { KubernetesApi } from "@svc/kubernetes";
import { PERMIT_AUDIENCE } from "@svc/protocol";
import { admissionPlaces } from "../admission/admission-places.ts";
import { BoundedCache } from "../image/bounded-cache.ts";
import { field, listIn, textIn } from "./fields.ts";

/** A pod as its token proves it. */
export interface ProvenPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Finds the pod that a service account's token is bound to. A text says why the token proves none;
 * undefined if too many tokens are being reviewed.
 * @throws KubernetesError if the API server does not answer
 */
export type PodIdentifier = (token: string) => Promise<ProvenPod | string | undefined>;

const MOST_TOKEN_LENGTH = 16 * 1024;
const TIMEOUT_MS = 5000;
const CACHED = { entries: 16_384, bytes: 8 * 1024 * 1024 };
/** A pod that is gone is found so when it is read: a cached answer gives nothing away. */
const CACHED_MS = 60_000;
const POD_BYTES = 256;
/** Reviews are the API server's work: more at once would be a flood that is passed on to it. */
const REVIEWS = { inFlight: 8, waiting: 64, waitMs: 5000 };
const CLAIM = "authentication.kubernetes.io";

/** Asks the API server (TokenReview) whose a token is, once a minute for each. */
export function podIdentifier(api: Pick<KubernetesApi, "ask">): PodIdentifier {
  const cached = new BoundedCache<ProvenPod>(CACHED);
  const places = admissionPlaces(REVIEWS);
  return async (token) => {
    if (token.length > MOST_TOKEN_LENGTH) return "the token is too long";
    const key = createHash("sha256").update(token).digest("base64");
    const known = cached.get(key);
    if (known !== undefined) return known;
    if (!(await places.enter())) return undefined;
    try {
      const proven = podOf(await review(api, token));
      if (typeof proven === "object") {
        cached.put(key, proven, { bytes: POD_BYTES, lifeMs: CACHED_MS });
      }
      return proven;
    } finally {
      places.giveBack();
    }
  };
}

async function review(api: Pick<KubernetesApi, "ask">, token: string): Promise<unknown> {
  const apiVersion = "authentication.k8s.io/v1";
  return await api.ask({
    method: "POST",
    path: `/apis/${apiVersion}/tokenreviews`,
    body: { apiVersion, kind: "TokenReview", spec: { token, audiences: [PERMIT_AUDIENCE] } },
    operation: "review the token of a wrapper",
    carriesSecret: true,
    timeoutMs: TIMEOUT_MS,
  });
}

function podOf(answer: unknown): ProvenPod | string {
  const status = field(answer, "status");
  if (field(status, "authenticated") !== true) return "the API server does not know the token";
  // A server that does not know audiences says nothing about them.
  if (!listIn(status, "audiences").includes(PERMIT_AUDIENCE)) {
    return `the token is not for the audience ${PERMIT_AUDIENCE}`;
  }
  const [, namespace] =
    /^system:serviceaccount:([a-z0-9-]+):/.exec(textIn(status, "user", "username") ?? "") ?? [];
  const name = claimOf(status, "pod-name");
  const uid = claimOf(status, "pod-uid");
  if (namespace === undefined || name === undefined || uid === undefined) {
    return "the token is not bound to a pod";
  }
  return { namespace, name, uid };
}

function claimOf(status: unknown, claim: string): string | undefined {
  const [value] = listIn(status, "user", "extra", `${CLAIM}/${claim}`);
  return typeof value === "string" && value !== "" ? value : undefined;
}
