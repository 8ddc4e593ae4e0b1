/**
 * The errors: `BAD_OPTIONS` and `CANNOT_LISTEN` at start. `REFUSED` (one request) and
 * `BAD_FILE` (one secrets file) stay inside: they become an answer and a list of problems.
 */
export type DevStoreErrorCode = "BAD_OPTIONS" | "CANNOT_LISTEN" | "REFUSED" | "BAD_FILE";

/** The only error class of this package; switch on `code`, the text is for people. */
export class DevStoreError extends Error {
  override readonly name = "DevStoreError";
  readonly code: DevStoreErrorCode;
  /** The HTTP status of a `REFUSED` request, 0 otherwise. */
  readonly status: number;

  constructor(
    code: DevStoreErrorCode,
    message: string,
    options: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? 0;
  }
}

/** Ends the request at hand with `{"errors":[text]}`; `handle` turns it into the answer. */
export function refuse(status: number, text: string): never {
  throw new DevStoreError("REFUSED", text, { status });
}
