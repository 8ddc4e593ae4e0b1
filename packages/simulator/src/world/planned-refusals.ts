import type { ErrorName } from "../machine/errors.ts";
import type { Refusal } from "./scenario.ts";

/** Refuses calls by plan, as a kernel does that lacks them, or has no room. */
export class PlannedRefusals {
  readonly #refusals: readonly Refusal[];
  readonly #calls = new Map<string, number>();

  constructor(refusals: readonly Refusal[]) {
    this.#refusals = refusals;
  }

  /** The error of a call; undefined if it goes on. To be asked once for each call. */
  of(call: string): ErrorName | undefined {
    const number = (this.#calls.get(call) ?? 0) + 1;
    this.#calls.set(call, number);
    const found = this.#refusals.find(
      ({ call: name, from = 1, times = Number.POSITIVE_INFINITY }) =>
        name === call && from <= number && number < from + times,
    );
    return found?.error;
  }
}
