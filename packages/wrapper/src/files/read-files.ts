import { type RetryOptions, sleep } from "@svc/vault";
import type { Logger } from "../log.ts";
import { FileError } from "./file-error.ts";
import type { FileOutcome } from "./file-secret.ts";
import { type ReadFile, readFileSource } from "./read-file-source.ts";
import { sayExposures } from "./say-exposures.ts";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
const TOLD_TRIES = 5;
const TOLD_EACH = 15;

interface FilePath {
  readonly path: string;
}

/** Reads files once; one outcome for each, in their order. */
export function readFiles(sources: readonly FilePath[]): readonly FileOutcome[] {
  return readDistinct(sources).map(outcomeOf);
}

/**
 * Reads files, and tries again until all of them are there, as a vault that is away is waited for.
 * An error that no pause mends ends that at once, so that all problems show.
 */
export async function readFilesPatiently(
  sources: readonly FilePath[],
  { deadlineMs = 0, maxAttempts = Number.POSITIVE_INFINITY, says, log, onRetry }: Patience,
): Promise<readonly FileOutcome[]> {
  const endMs = performance.now() + deadlineMs;
  for (let attempt = 1; ; attempt += 1) {
    const reads = readDistinct(sources);
    const errors = reads.flatMap((read) => (read instanceof FileError ? [read] : []));
    const delayMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
    const mayWait = attempt < maxAttempts && performance.now() + delayMs < endMs;
    const [first] = errors;
    if (first === undefined || !mayWait || !errors.every(({ retryable }) => retryable)) {
      if (first === undefined && says) sayExposures(log, reads.flatMap(exposed));
      return reads.map(outcomeOf);
    }
    const { code, failure } = first;
    if (isTold(attempt)) log.warn(failure.message, { code, attempt, retryInMs: delayMs });
    onRetry(first);
    await sleep(delayMs, undefined);
  }
}

/** The first tries, which come fast, and then one in about half a minute. */
function isTold(attempt: number): boolean {
  return attempt <= TOLD_TRIES || attempt % TOLD_EACH === 0;
}

/** How long to try. */
interface Patience extends Partial<RetryOptions> {
  /** True if the log has to say who else may read the files. */
  readonly says: boolean;
  readonly log: Logger;
  readonly onRetry: (error: FileError) => void;
}

/** A path that is named twice is read once. */
function readDistinct(sources: readonly FilePath[]): readonly (ReadFile | FileError)[] {
  const byPath = new Map<string, ReadFile | FileError>();
  return sources.map(({ path }) => {
    const read = byPath.get(path) ?? tryToRead(path);
    byPath.set(path, read);
    return read;
  });
}

function tryToRead(path: string): ReadFile | FileError {
  try {
    return readFileSource(path);
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
}

function outcomeOf(read: ReadFile | FileError): FileOutcome {
  return read instanceof FileError ? { ok: false, error: read } : { ok: true, secret: read.secret };
}

function exposed(read: ReadFile | FileError): readonly ReadFile[] {
  return read instanceof FileError ? [] : [read];
}
