import type { SecretBytes, SecretJson } from "@svc/secret-bytes";
import type { VaultErrorCode } from "../errors/error-catalogue.ts";
import { VaultError } from "../errors/vault-error.ts";
import { cleanText } from "./clean-text.ts";
import { wrongScheme } from "./connection-failure.ts";
import type { VaultRequest, VaultResponse } from "./vault-request.ts";

/**
 * The error of an answer that is not a success.
 *
 * Vault tells some cases apart only by its text; if that is so the text is looked at here
 * and nowhere else.
 */
export function statusError(request: VaultRequest, response: VaultResponse): VaultError {
  const { status, body } = response;
  const answer = body.parseJson();
  if (status === 400 && answer === "not JSON" && isOfTlsListener(request, body)) {
    return wrongScheme(request, false);
  }
  const texts = typeof answer === "string" ? "" : serverTexts(request, answer);
  const { code, hint, isCertain = false } = classify(status, texts);
  const found = texts === "" ? `status ${status}` : `status ${status}, ${texts}`;
  return new VaultError(code, `${request.operation}: ${found}`, {
    status,
    path: request.path,
    hint: isCertain ? hint : (request.hints?.[code] ?? hint),
    retryAfterMs: response.retryAfterMs,
  });
}

/** Go's TLS listener answers plain HTTP with a sentence. */
function isOfTlsListener(request: VaultRequest, body: SecretBytes): boolean {
  return body.open(sentIn(request))?.includes("HTTP request to an HTTPS server") ?? false;
}

interface Classified {
  readonly code: VaultErrorCode;
  readonly hint?: string;
  /** True if the server's text tells more than the request knows. */
  readonly isCertain?: boolean;
}

const NOT_CONFIGURED: Classified = {
  code: "SERVER_ERROR",
  hint: "the auth method is mounted but not configured: write auth/<mount>/config",
};

/** For some seconds after a KV engine of version 2 was mounted, with status 400. */
const BEING_MOUNTED: Classified = {
  code: "SERVER_ERROR",
  hint: "the KV engine has just been mounted and will answer in a moment",
};

const NO_ENGINE: Classified = {
  code: "NOT_FOUND",
  hint: "nothing is mounted there: check the first part of the path, and VAULT_NAMESPACE",
};

const NO_NAMESPACE: Classified = {
  code: "NOT_FOUND",
  hint: "the vault has no such namespace: check VAULT_NAMESPACE",
  isCertain: true,
};

function classify(status: number, texts: string): Classified {
  if (/invalid role name|role "[^"]*" could not be found/i.test(texts)) {
    return { code: "INVALID_ROLE" };
  }
  if (/could not load backend configuration/i.test(texts)) return NOT_CONFIGURED;
  if (/lease not found/i.test(texts)) return { code: "NOT_FOUND", hint: "the lease has ended" };
  if (/upgrad\w* from non-versioned to versioned/i.test(texts)) return BEING_MOUNTED;
  if (/namespace not found/i.test(texts)) return NO_NAMESPACE;
  if (/no handler for route/i.test(texts)) return NO_ENGINE;
  if (/is already initialized/i.test(texts)) return { code: "ALREADY_INITIALIZED" };
  if (status === 400 && /is not initialized/i.test(texts)) return { code: "NOT_INITIALIZED" };
  if (/local node not active/i.test(texts)) return { code: "STANDBY" };
  if (status === 503 && /sealed/i.test(texts)) return { code: "SEALED" };
  return { code: codeOfStatus(status) };
}

function codeOfStatus(status: number): VaultErrorCode {
  const known = Object.hasOwn(statusCodes, status) ? statusCodes[status] : undefined;
  if (known !== undefined) return known;
  if (status >= 500) return "SERVER_ERROR";
  return status >= 400 ? "BAD_REQUEST" : "BAD_RESPONSE";
}

const statusCodes: Readonly<Record<number, VaultErrorCode>> = {
  401: "DENIED",
  403: "DENIED",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  // Vault Enterprise: the node has not caught up with the state that the token needs.
  412: "SERVER_ERROR",
  429: "RATE_LIMITED",
  472: "STANDBY",
  473: "STANDBY",
  501: "NOT_INITIALIZED",
};

/** Vault's `errors` and `warnings`, masked and bounded; empty for any other body. */
function serverTexts(request: VaultRequest, answer: SecretJson): string {
  const masked = sentIn(request);
  const texts = ["errors", "warnings"]
    .flatMap((name) => answer.member(name)?.items() ?? [])
    .filter(({ kind }) => kind === "string")
    .map((text) => text.bytes().open(masked) ?? "");
  return cleanText(texts.join("; "));
}

/** Our data that a server might echo. */
function sentIn({ token, body = [] }: VaultRequest): readonly SecretBytes[] {
  const inBody = body.filter((part) => typeof part !== "string");
  return token === undefined ? inBody : [token.bytes, ...inBody];
}
