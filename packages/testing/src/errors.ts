/** The kinds of failures of test support. */
export type TestingErrorCode =
  | "BINARY_MISSING"
  | "FETCH_FAILED"
  | "SERVER_FAILED"
  | "BAD_ANSWER"
  | "NO_PORT"
  | "DEADLINE";

/** The only error class of this package; `hint` names the way out if there is one. */
export class TestingError extends Error {
  override readonly name = "TestingError";
  readonly code: TestingErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: TestingErrorCode,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(options.hint === undefined ? message : `${message}\nhint: ${options.hint}`, {
      cause: options.cause,
    });
    this.code = code;
    this.hint = options.hint;
  }
}
