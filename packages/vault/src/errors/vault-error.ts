import { type VaultErrorCode, vaultErrorCatalogue } from "./error-catalogue.ts";

/** The fields of a `VaultError` beside its code and message. */
export interface VaultErrorDetails {
  /** Overrides the default hint of the code. */
  readonly hint?: string | undefined;
  /** HTTP status, if the server answered. */
  readonly status?: number | undefined;
  /** The vault path that was asked for. Never a URL with credentials. */
  readonly path?: string | undefined;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The only error of this package for events outside of it; switch on `code`, the text is for
 * people.
 *
 * Holds no token, JWT, secret value, request body or response body.
 * It repeats only the bounded `errors[]` texts of the server, with our own data masked.
 */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultErrorCode;
  readonly hint: string;
  readonly status: number | undefined;
  readonly path: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: VaultErrorCode, message: string, details: VaultErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint ?? vaultErrorCatalogue[code].hint;
    this.status = details.status;
    this.path = details.path;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whether the same request may succeed a little later. */
  get retryable(): boolean {
    return vaultErrorCatalogue[this.code].retryable;
  }
}
