import { TestingError } from "../errors.ts";
import { waitFor } from "../wait-for.ts";
import { answerPart, answerText, type BaoTarget, callBao } from "./bao-api.ts";

/** Capabilities by path, as a policy has them. */
export interface TestPolicyRule {
  readonly path: string;
  readonly capabilities: readonly string[];
}

const MOUNT_DEADLINE_MS = 10_000;

/** Mounts a KV version 2 engine at `path`, and waits until it takes requests. */
export async function mountKv2(target: BaoTarget, path: string): Promise<void> {
  const body = { type: "kv", options: { version: "2" } };
  await callBao(target, { method: "POST", path: `sys/mounts/${path}`, body });
  // For a moment it refuses with 400: it sets itself up for versions.
  await waitFor(() => configures(target, path), {
    deadlineMs: MOUNT_DEADLINE_MS,
    what: `the KV engine at ${path}`,
  });
}

async function configures(target: BaoTarget, path: string): Promise<boolean> {
  try {
    await callBao(target, { method: "POST", path: `${path}/config`, body: { max_versions: 0 } });
    return true;
  } catch (error) {
    if (error instanceof TestingError && error.code === "BAD_ANSWER") return false;
    throw error;
  }
}

/** Writes a secret; `path` is a KV version 2 path such as `secret/data/app`. */
export async function writeSecret(
  target: BaoTarget,
  path: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await callBao(target, { method: "POST", path, body: { data } });
}

/** Writes a policy. */
export async function writePolicy(
  target: BaoTarget,
  name: string,
  rules: readonly TestPolicyRule[],
): Promise<void> {
  const path = Object.fromEntries(
    rules.map((rule) => [rule.path, { capabilities: rule.capabilities }]),
  );
  const policy = JSON.stringify({ path });
  await callBao(target, { method: "PUT", path: `sys/policies/acl/${name}`, body: { policy } });
}

/** Makes a token with the fields of `auth/token/create` (`policies`, `ttl`, …) and gives its id. */
export async function makeToken(
  target: BaoTarget,
  wanted: Readonly<Record<string, unknown>>,
): Promise<string> {
  const made = await callBao(target, { method: "POST", path: "auth/token/create", body: wanted });
  return answerText(answerPart(made, "auth"), "client_token");
}
