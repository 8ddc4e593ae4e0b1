import type { Machine } from "../machine/machine.ts";
import type { Process, Program } from "../machine/process.ts";
import { signals } from "../machine/signals.ts";

/** The first process of a machine: it reaps every child, and does nothing else. */
export class Launcher implements Program {
  readonly #machine: Machine;
  readonly #process: Process;

  constructor(machine: Machine, process: Process) {
    this.#machine = machine;
    this.#process = process;
  }

  nextTurnUs(): undefined {
    return undefined;
  }

  turn(): void {
    // It has nothing to do.
  }

  catches(signal: number): boolean {
    return signal === signals.SIGCHLD;
  }

  onSignal(): void {
    for (const child of [...this.#process.children]) {
      if (!child.isAlive) this.#machine.reap(child);
    }
  }
}
