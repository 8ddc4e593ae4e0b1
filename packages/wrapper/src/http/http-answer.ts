/** The answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * For so long, or until the server is told to forget it, a GET or HEAD of the same path has this
   * answer, without headers, for every client. By default the service is asked each time.
   */
  readonly holdsMs?: number;
  /**
   * Called once the client has left with the answer, without it, or was sent away after a while.
   */
  readonly onGone?: () => void;
}

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { status, contentType: "application/json", body: JSON.stringify(value), headers };
}

/** The text of an error; `problems` if there are several. */
export interface ErrorText {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly problems?: readonly string[];
}

/** An error: `{"error":{"code","message","hint"}}`. */
export function errorAnswer(
  status: number,
  error: ErrorText,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return jsonAnswer(status, { error }, headers);
}

/** Why a request is not answered as asked. */
export function refusalAnswer(status: number, code: string, message: string): HttpAnswer {
  return errorAnswer(status, { code, message, hint: "see docs/reference/health.md" });
}

/** The answer if a mistake of ours kept the right one from being found. */
export function internalError(): HttpAnswer {
  return refusalAnswer(500, "INTERNAL", "the request could not be answered");
}
