import type { Failure } from "../errors.ts";

/** The checks of one program. */
export interface CheckHistory {
  readonly count: number;
  /** Checks that failed since the last that did not. */
  readonly failures: number;
  /** The failure of the last of them. */
  readonly lastFailure?: Failure | undefined;
  /** Checks that could not be started since the last that could. */
  readonly unstarted: number;
  /** True if the next check comes at once. */
  readonly hurry: boolean;
  /** How long the last check took: the wrapper renews nothing while a check is under way. */
  readonly tookMs: number;
}

/** The change of a history by a check or a rotation that succeeds. */
export const noFailures = { failures: 0, lastFailure: undefined } as const;
