import type { SecretBytes, SecretJson } from "@svc/secret-bytes";
import { VaultError } from "../errors/vault-error.ts";
import { badResponse, memberReader, successEnvelope, textOf } from "../http/envelope.ts";
import { statusError } from "../http/status-error.ts";
import { type CallOptions, call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";
import {
  hasMetadataPath,
  parseSecretPath,
  type SecretPath,
  withDataSegment,
} from "./secret-path.ts";

/** A path and, if pinned, the version of it. */
export interface SecretRef {
  /** Form `<mount>/data/<path>` for KV v2, else the path of any readable engine. */
  readonly path: string;
  /** From 1; without it the newest. */
  readonly version?: number | undefined;
}

/** A lease on dynamic credentials. */
export interface Lease {
  readonly id: string;
  readonly durationMs: number;
  readonly renewable: boolean;
}

/** A secret as it was read. Its fields are the only place of values. */
export interface SecretData {
  readonly path: string;
  /** KV v2 only. */
  readonly version?: number | undefined;
  /** KV v2 only, RFC 3339. */
  readonly createdTime?: string | undefined;
  /** Strings verbatim, null as null, everything else as compact JSON with its numbers' own text. */
  readonly fields: ReadonlyMap<string, SecretBytes | null>;
  readonly lease?: Lease | undefined;
}

/**
 * GET /v1/<path>.
 *
 * @throws VaultError `INVALID_INPUT` for a path or version that cannot be; it rejects with others.
 */
export function readSecret(
  caller: VaultCaller,
  token: Secret,
  ref: SecretRef,
  options?: CallOptions,
): Promise<SecretData> {
  const path = parseSecretPath(ref.path);
  const request: VaultRequest = {
    operation: `read ${path.text}${ref.version === undefined ? "" : ` version ${ref.version}`}`,
    method: "GET",
    target: path.encoded + versionQuery(path, ref.version),
    path: path.text,
    token,
    hints: {
      ...deniedHint(path),
      ...(ref.version !== undefined && {
        NOT_FOUND: "there is no such path, or it has no such version",
      }),
    },
  };
  return call(caller, request, (response) => acceptSecret(request, path, response), options);
}

/** With a scoped policy each account reads the paths of its own name, and no other one. */
function deniedHint({ text }: SecretPath): { readonly DENIED?: string } {
  if (!hasMetadataPath(text)) return {};
  const own = `${text.slice(0, text.indexOf("/data/", 1))}/data/NAMESPACE/ACCOUNT`;
  const scope = "settings.policyScope=service-account (BOOTSTRAP_POLICY_SCOPE)";
  return {
    DENIED: `check that the token is still valid, and that its policy lets it read "${text}": with ${scope} a pod reads ${own} and below, and nothing else`,
  };
}

function versionQuery(path: SecretPath, version: number | undefined): string {
  if (version === undefined) return "";
  if (Number.isSafeInteger(version) && version >= 1) return `?version=${version}`;
  throw new VaultError(
    "INVALID_INPUT",
    `read ${path.text}: version must be a whole number from 1: got ${version}`,
    { path: path.text, hint: "write the version as a number from 1, or leave it out" },
  );
}

function acceptSecret(request: VaultRequest, path: SecretPath, response: VaultResponse) {
  if (response.status === 404) throw notFound(request, path, response);
  const envelope = successEnvelope(request, response);
  const data = envelope.member("data");
  if (data?.kind !== "object") throw badResponse(request, "data is not a JSON object");
  const kv = kvVersion2(data);
  if (kv === undefined) {
    return { path: path.text, fields: fieldsOf(request, data), lease: leaseOf(request, envelope) };
  }
  // KV v2 answers 404 for a deleted version; some proxies turn that into a 200.
  if (kv.data.kind !== "object") throw gone(request, kv.metadata, response);
  const metadata = memberReader(request, kv.metadata, "data.metadata");
  return {
    path: path.text,
    version: metadata.number("version"),
    createdTime: metadata.string("created_time"),
    fields: fieldsOf(request, kv.data),
  };
}

interface KvVersion2 {
  readonly data: SecretJson;
  readonly metadata: SecretJson;
}

/**
 * Other engines may have a field called `data`; only KV v2 has `metadata` with a version beside it.
 */
function kvVersion2(data: SecretJson): KvVersion2 | undefined {
  const inner = data.member("data");
  const metadata = data.member("metadata");
  if (inner === undefined || metadata === undefined) return undefined;
  return metadata.member("version")?.kind === "number" ? { data: inner, metadata } : undefined;
}

function fieldsOf(request: VaultRequest, data: SecretJson): SecretData["fields"] {
  return new Map(data.keys().map((field) => [field, fieldOf(request, data, field)] as const));
}

function fieldOf(request: VaultRequest, data: SecretJson, field: string): SecretBytes | null {
  const value = data.member(field);
  if (value === undefined || value.kind === "null") return null;
  // A lone surrogate has no UTF-8: it would silently become another value. In JSON it is escaped.
  if (value.kind === "string" && !value.isWellFormed()) {
    throw badResponse(request, `field ${JSON.stringify(field)} is not well-formed Unicode`);
  }
  return value.bytes();
}

function leaseOf(request: VaultRequest, envelope: SecretJson): Lease | undefined {
  // KV v1 gives a lease_duration without a lease.
  if (envelope.member("lease_id") === undefined) return undefined;
  const reader = memberReader(request, envelope, "answer");
  const id = reader.string("lease_id");
  if (id === "") return undefined;
  return {
    id,
    durationMs: reader.secondsAsMs("lease_duration"),
    renewable: reader.boolean("renewable"),
  };
}

/**
 * Vault says with a 404 that a version is gone, that the path lacks `/data/`, or that nothing is
 * there.
 */
function notFound(request: VaultRequest, path: SecretPath, response: VaultResponse): VaultError {
  const body = response.body.parseJson();
  if (typeof body === "string") return statusError(request, response);
  const data = body.member("data");
  const kv = data === undefined ? undefined : kvVersion2(data);
  if (kv !== undefined) return gone(request, kv.metadata, response);
  const warnings = body.member("warnings")?.items() ?? [];
  if (warnings.length === 0) return statusError(request, response);
  return statusError(
    {
      ...request,
      hints: { NOT_FOUND: `the mount is KV version 2: try "${withDataSegment(path)}"` },
    },
    response,
  );
}

function gone(request: VaultRequest, metadata: SecretJson, response: VaultResponse): VaultError {
  const version = metadata.member("version");
  const which = version?.kind === "number" ? `version ${version.open()}` : "the version";
  const details = { status: response.status, path: request.path };
  const destroyed = metadata.member("destroyed");
  if (destroyed?.kind === "boolean" && destroyed.open() === "true") {
    return new VaultError("DESTROYED", `${request.operation}: ${which} is destroyed`, details);
  }
  const deletedAt = textOf(metadata.member("deletion_time")) ?? "";
  const when = Date.parse(deletedAt) ? ` at ${deletedAt}` : "";
  return new VaultError("DELETED", `${request.operation}: ${which} was deleted${when}`, details);
}
