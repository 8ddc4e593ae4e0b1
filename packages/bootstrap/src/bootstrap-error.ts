import { type BootstrapErrorCode, bootstrapErrorCatalogue } from "./error-catalogue.ts";

/** The fields of a `BootstrapError` beside its code and message. */
export interface BootstrapErrorDetails {
  /** Overrides the default hint of the code. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Why the bootstrap stopped; switch on `code`, the text is for people.
 * Holds no key share, token or JWT.
 */
export class BootstrapError extends Error {
  override readonly name = "BootstrapError";
  readonly code: BootstrapErrorCode;
  readonly hint: string;

  constructor(code: BootstrapErrorCode, message: string, details: BootstrapErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint ?? bootstrapErrorCatalogue[code].hint;
  }
}
