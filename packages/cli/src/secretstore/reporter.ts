import type { ProgressEvent } from "@svc/bootstrap";

/** An error as text for people, and as JSON for programs. */
export interface ToldError {
  /** A code from one of the closed lists in docs/reference/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The result of a command. */
export interface ToldResult {
  /** For programs. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** For people. */
  readonly lines: readonly string[];
}

/** Reports the steps of a command. It receives no secret. */
export interface Reporter {
  progress(event: ProgressEvent): void;
  warning(message: string): void;
  error(error: ToldError): void;
  result(result: ToldResult): void;
}
