import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { AgentError } from "../agent-error.ts";

/**
 * Finds the UID of the pod that a service account's token is bound to. @throws AgentError
 * `REGISTRATION_UNPROVEN`
 */
export type TokenReviewer = (token: string) => Promise<string>;

// The API server's own work; more at once would be a flood that is passed on to it.
const MOST_AT_ONCE = 8;
const MOST_WAITING = 64;
const TIMEOUT_MS = 5_000;
const MOST_TOKEN_LENGTH = 16 * 1024;
const podClaim = "authentication.kubernetes.io/pod-uid";

/**
 * Asks the API server (TokenReview) whose a token is. It has to be made for the audience, and bound
 * to a pod.
 */
export function tokenReviewer(api: KubernetesApi, audience: string): TokenReviewer {
  let under = 0;
  const waiting: (() => void)[] = [];
  const enter = async (): Promise<void> => {
    if (under < MOST_AT_ONCE) {
      under += 1;
      return;
    }
    if (waiting.length >= MOST_WAITING) throw unproven("too many tokens are being reviewed");
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    // A waiting one takes the place over.
    if (next === undefined) under -= 1;
    else next();
  };
  return async (token) => {
    if (token.length > MOST_TOKEN_LENGTH) throw unproven("the token is too long");
    await enter();
    try {
      return podOf(await review(api, token, audience), audience);
    } finally {
      leave();
    }
  };
}

async function review(api: KubernetesApi, token: string, audience: string): Promise<unknown> {
  const apiVersion = "authentication.k8s.io/v1";
  try {
    return await api.ask({
      method: "POST",
      path: `/apis/${apiVersion}/tokenreviews`,
      body: { apiVersion, kind: "TokenReview", spec: { token, audiences: [audience] } },
      operation: "review the token of a wrapper",
      carriesSecret: true,
      timeoutMs: TIMEOUT_MS,
    });
  } catch (error) {
    if (error instanceof KubernetesError) throw unproven(error.message, error);
    throw error;
  }
}

function podOf(answer: unknown, audience: string): string {
  const status = field(answer, "status");
  if (field(status, "authenticated") !== true) throw unproven("the API server does not know it");
  // A server that does not know audiences says nothing about them.
  const audiences = field(status, "audiences");
  if (!Array.isArray(audiences) || !audiences.includes(audience)) {
    throw unproven(`it is not made for the audience ${JSON.stringify(audience)}`);
  }
  const uids = field(field(field(status, "user"), "extra"), podClaim);
  const uid: unknown = Array.isArray(uids) ? uids[0] : undefined;
  if (typeof uid === "string" && uid !== "") return uid;
  throw unproven("it is not bound to a pod");
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function unproven(found: string, cause?: unknown): AgentError {
  return new AgentError("REGISTRATION_UNPROVEN", `review a wrapper's token: ${found}`, cause);
}
