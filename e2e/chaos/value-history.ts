import { type BaoTarget, canary, waitFor, writeSecret } from "@svc/testing";

/** A value and when a vault may have given it out; in milliseconds of CLOCK_MONOTONIC. */
export interface PastValue {
  readonly value: string;
  readonly fromMs: number;
  /** Infinity for the current one. */
  readonly untilMs: number;
}

/** The values of the secret, with their times. */
export interface ValueHistory {
  readonly values: () => readonly PastValue[];
  /** Gives the secret a new value and returns that. */
  readonly change: () => Promise<string>;
}

const WRITE_DEADLINE_MS = 30_000;

/** Writes the secret at `path`, with two fields of each value, and remembers when. */
export function valueHistory(
  target: () => BaoTarget | Promise<BaoTarget>,
  path: string,
  now: () => number,
): ValueHistory {
  const values: PastValue[] = [];
  return {
    values: () => values,
    change: async () => {
      const [value, fromMs] = [canary(), now()];
      // A cluster without a leader refuses; the write that is tried again is the same.
      await waitFor(async () => written(await target(), path, value), {
        deadlineMs: WRITE_DEADLINE_MS,
        what: "the vault to take a new value",
      });
      const last = values.pop();
      if (last !== undefined) values.push({ ...last, untilMs: now() });
      values.push({ value, fromMs, untilMs: Number.POSITIVE_INFINITY });
      return value;
    },
  };
}

/** The fields belong together: a program that has them of two values has a torn secret. */
async function written(target: BaoTarget, path: string, value: string): Promise<boolean> {
  try {
    await writeSecret(target, path, { user: `${value}.user`, password: `${value}.password` });
    return true;
  } catch {
    return false;
  }
}
