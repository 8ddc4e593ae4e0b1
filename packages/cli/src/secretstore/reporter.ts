import type { ProgressEvent } from "@svc/bootstrap";

/** An error as it is told to people and programs. */
export interface ToldError {
  /** Of one of the closed lists in docs/reference/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What a command came to. */
export interface ToldResult {
  /** For programs. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** For people. */
  readonly lines: readonly string[];
}

/** Tells what a command does. Nothing secret is given to it. */
export interface Reporter {
  progress(event: ProgressEvent): void;
  warning(message: string): void;
  error(error: ToldError): void;
  result(result: ToldResult): void;
}
