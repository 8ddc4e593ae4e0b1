import type { Machine } from "../machine/machine.ts";
import type { Process, Program } from "../machine/process.ts";
import type { ChildEnds, Step } from "./calls/kernel-under-test.ts";

const NEWLINE = 10;

/** A child on the simulated kernel that takes its steps one by one. */
export class Puppet implements Program {
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #ends: ChildEnds;
  readonly #steps: Step[];

  constructor(machine: Machine, process: Process, steps: readonly Step[], ends: ChildEnds) {
    this.#machine = machine;
    this.#process = process;
    this.#ends = ends;
    this.#steps = [...steps, { kind: "exit", code: 0 }];
  }

  nextTurnUs(): number | undefined {
    const waits = this.#steps[0]?.kind === "wait";
    return waits && !this.#gate.isReadable() ? undefined : 0;
  }

  turn(): void {
    const step = this.#steps.shift();
    if (step !== undefined) this.#take(step);
  }

  catches(): boolean {
    return false;
  }

  onSignal(): void {
    throw new TypeError("a puppet catches no signal");
  }

  get #gate() {
    return this.#process.description(this.#ends.gate);
  }

  #take(step: Step): void {
    switch (step.kind) {
      case "wait":
        this.#passGate();
        return;
      case "say":
        this.#say(step.word);
        return;
      case "exit":
        this.#machine.end(this.#process, { kind: "exited", code: step.code & 0xff });
        return;
      case "raise":
        this.#machine.kill(this.#process, { number: step.signal, from: "process" });
        return;
      case "ignore":
        this.#process.ignored.add(step.signal);
        return;
      case "fork":
        this.#fork(step.steps);
    }
  }

  #passGate(): void {
    for (;;) {
      const bytes = this.#gate.read(1);
      if (bytes === "end") this.#machine.end(this.#process, { kind: "exited", code: 99 });
      if (!(bytes instanceof Uint8Array) || bytes[0] === NEWLINE) return;
    }
  }

  #say(word: string): void {
    this.#process.description(this.#ends.report).write(new TextEncoder().encode(`${word}\n`));
  }

  #fork(steps: readonly Step[]): void {
    const child = this.#machine.fork(this.#process, this.#process, () => true);
    const ends = { ...this.#ends, gate: this.#ends.innerGate };
    child.program = new Puppet(this.#machine, child, steps, ends);
    this.#say(String(child.pid));
  }
}
