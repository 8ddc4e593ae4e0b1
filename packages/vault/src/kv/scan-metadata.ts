import { badResponse } from "../http/envelope.ts";
import { statusError } from "../http/status-error.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";
import type { VersionState } from "./read-metadata.ts";
import { parseSecretPath } from "./secret-path.ts";

/** The newest version of a KV v2 secret. */
export interface NewestVersion {
  /** 0 if there are settings and no version. */
  readonly version: number;
  /** Undefined if the vault does not say it. */
  readonly state: VersionState | undefined;
}

/**
 * GET /v1/<mount>/detailed-metadata/?scan=true: the newest versions of all secrets of a KV v2
 * engine, by their paths below it. OpenBao only.
 *
 * The answer is opened as a whole, because it has no value of a secret.
 */
export async function scanMetadata(
  caller: VaultCaller,
  token: Secret,
  mount: string,
): Promise<ReadonlyMap<string, NewestVersion>> {
  const { text, encoded } = parseSecretPath(mount);
  const path = `${text}/detailed-metadata/`;
  const request: VaultRequest = {
    operation: `scan ${path}`,
    method: "GET",
    target: `${encoded}/detailed-metadata/?scan=true`,
    path,
    token,
    hints: { DENIED: `the policy must grant scan on "${path}"` },
  };
  return call(caller, request, (response) => accept(request, response));
}

function accept(
  request: VaultRequest,
  response: VaultResponse,
): ReadonlyMap<string, NewestVersion> {
  if (response.status < 200 || response.status > 299) throw statusError(request, response);
  const answer = parsed(response.body.open([]) ?? "");
  const data = member(answer, "data");
  if (!isObject(data)) throw badResponse(request, "data is not a JSON object");
  // An engine without a secret leaves it out.
  const secrets = member(data, "key_info") ?? {};
  if (!isObject(secrets)) throw badResponse(request, "data.key_info is not a JSON object");
  return new Map(
    Object.entries(secrets).map(([path, secret]) => {
      const newest = newestOf(secret);
      if (newest !== undefined) return [path, newest];
      throw badResponse(request, "an entry of data.key_info is not the metadata of a secret");
    }),
  );
}

function newestOf(secret: unknown): NewestVersion | undefined {
  const version = member(secret, "current_version");
  if (typeof version !== "number" || !Number.isSafeInteger(version)) return undefined;
  const state = member(member(secret, "versions"), String(version));
  return { version, state: stateOf(state) };
}

function stateOf(state: unknown): VersionState | undefined {
  const createdTime = member(state, "created_time");
  const deletionTime = member(state, "deletion_time");
  const destroyed = member(state, "destroyed");
  if (typeof createdTime !== "string" || typeof deletionTime !== "string") return undefined;
  return typeof destroyed === "boolean" ? { createdTime, deletionTime, destroyed } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
