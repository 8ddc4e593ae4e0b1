import { type ImageErrorCode, imageErrorCatalogue } from "./error-catalogue.ts";

/** The fields of an `ImageError` beside its code and message. */
export interface ImageErrorDetails {
  /** Overrides the default hint of the code. */
  readonly hint?: string | undefined;
  /** How long the registry asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Why an image's configuration is not known; switch on `code`, the text is for people. Holds no
 * password, token, header or body; the words of a registry are not repeated.
 */
export class ImageError extends Error {
  override readonly name = "ImageError";
  readonly code: ImageErrorCode;
  /** A hint for the author of the pod. */
  readonly hint: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: ImageErrorCode, message: string, details: ImageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint ?? imageErrorCatalogue[code].hint;
    this.retryAfterMs = details.retryAfterMs;
  }
}
