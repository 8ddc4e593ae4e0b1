import type { Failure } from "../errors.ts";

/** Why a file gives no secret. */
export class FileError extends Error {
  readonly code = "FILE_UNREADABLE";
  readonly failure: Failure;
  /** True if another try may find it mended: the writer of the file may not have come yet. */
  readonly retryable: boolean;

  constructor(failure: Failure, retryable: boolean) {
    super(failure.message);
    this.name = "FileError";
    this.failure = failure;
    this.retryable = retryable;
  }
}
