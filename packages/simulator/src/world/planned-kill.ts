import type { ProgramKill } from "./scenario.ts";

/** Counts the calls of the kind before which the program is killed. */
export class PlannedKill {
  readonly #kill: ProgramKill | undefined;
  #calls = 0;

  constructor(kill: ProgramKill | undefined) {
    this.#kill = kill;
  }

  /** Whether the program is killed before a call. To be asked once for each. */
  isBefore(call: string): boolean {
    return this.#kill?.call === call && this.#kill.number === ++this.#calls;
  }
}
