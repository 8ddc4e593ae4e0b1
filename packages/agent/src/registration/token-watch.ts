import type { ProcessIdentity } from "./process-identity.ts";

/** A wrapper that logs in with the file of a service account token. */
export interface TokenHolder {
  readonly registration: bigint;
  readonly podUid: string | undefined;
  readonly wrapper: ProcessIdentity;
  /** Its numbers, from the agent's pid namespace to its own. */
  readonly namespacePids: readonly number[];
}

/** The file, as the wrapper names it. */
export interface ClaimedTokenFile {
  readonly path: string;
  /** The kernel's number of its file system: major << 20 | minor. */
  readonly device: number;
  readonly inode: bigint;
}

/** Has openings of tokens' files reported. */
export interface TokenWatch {
  /**
   * Reports each opening of the file by another process, from now on and until the wrapper ends.
   *
   * @returns why not, for people; empty if it does
   */
  watch(holder: TokenHolder, file: ClaimedTokenFile): string;
  /** A stream of the wrapper has ended: it may have ended, too. */
  disconnected(registration: bigint): void;
  /** Forgets those of them that have ended. */
  sweep(): void;
}

/** Watches no file, for this reason. */
export function watchNoTokens(reason: string): TokenWatch {
  return { watch: () => reason, disconnected: () => undefined, sweep: () => undefined };
}
