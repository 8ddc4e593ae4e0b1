import type { Machine } from "../machine/machine.ts";
import type { Process, Program } from "../machine/process.ts";
import type { Signal } from "../machine/signals.ts";

/** The behaviour of a program below the wrapper. */
export interface Behaviour {
  /** Signals that it catches and outlives, and for the others that end it after a while: by `ends`. */
  readonly ignores: readonly number[];
  /** It ends with that status by itself, after that time. */
  readonly exits?: { readonly afterUs: number; readonly code: number };
  /** On SIGTERM it takes that time, and ends with that status; else the default action ends it. */
  readonly endsOnTerm?: { readonly afterUs: number; readonly code: number };
  /** prctl(PR_SET_DUMPABLE, 0). */
  readonly isHidden?: true;
  /** It listens at that port, and is ready after that time. */
  readonly answers?: { readonly port: number; readonly readyAfterUs: number };
  /** The children that it starts, with a behaviour each. */
  readonly children: readonly Behaviour[];
}

/** The facts about a program that has started. */
export interface Observed {
  readonly process: Process;
  readonly environment: ReadonlyMap<string, string>;
  readonly signals: Signal[];
}

const SIGTERM = 15;

/** A program with a given behaviour. It keeps its environment and its signals for the checks. */
export class ModelProgram implements Program {
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #behaviour: Behaviour;
  readonly observed: Observed;
  #todo: { readonly atUs: number; readonly act: () => void }[] = [];

  constructor(machine: Machine, process: Process, behaviour: Behaviour) {
    this.#machine = machine;
    this.#process = process;
    this.#behaviour = behaviour;
    this.observed = { process, environment: variablesOf(process), signals: [] };
    const { exits, children, isHidden } = behaviour;
    if (isHidden) process.isDumpable = false;
    if (exits !== undefined) this.#later(exits.afterUs, () => this.#exit(exits.code));
    for (const child of children)
      this.#later(machine.random.between(0, 50_000), () => this.#fork(child));
  }

  nextTurnUs(): number | undefined {
    let next: number | undefined;
    for (const { atUs } of this.#todo) next = Math.min(next ?? atUs, atUs);
    return next;
  }

  turn(): void {
    const due = this.#todo.find(({ atUs }) => atUs <= this.#machine.nowUs);
    if (due === undefined) return;
    this.#todo = this.#todo.filter((other) => other !== due);
    due.act();
  }

  catches(): boolean {
    return true;
  }

  onSignal(signal: Signal): void {
    const { number } = signal;
    this.#machine.trace.note(`program: ${this.#process.pid} got ${number}`);
    this.observed.signals.push(signal);
    const { ignores, endsOnTerm } = this.#behaviour;
    if (ignores.includes(number)) return;
    if (number === SIGTERM && endsOnTerm !== undefined) {
      this.#later(endsOnTerm.afterUs, () => this.#exit(endsOnTerm.code));
    } else if (number === SIGTERM) {
      this.#machine.end(this.#process, { kind: "killed", signal: number });
    }
  }

  #later(us: number, act: () => void): void {
    this.#todo.push({ atUs: this.#machine.nowUs + us, act });
  }

  #exit(code: number): void {
    this.#machine.end(this.#process, { kind: "exited", code });
  }

  #fork(behaviour: Behaviour): void {
    const { blocked, ignored, limits, group } = this.#process;
    const child = this.#machine.fork(
      this.#process,
      { group, blocked, ignored, limits },
      () => true,
    );
    child.program = new ModelProgram(this.#machine, child, behaviour);
  }
}

function variablesOf({ environment }: Process): ReadonlyMap<string, string> {
  const decoder = new TextDecoder();
  return new Map(
    environment.map((entry) => {
      const text = decoder.decode(entry);
      const equals = text.indexOf("=");
      return [text.slice(0, equals), text.slice(equals + 1)] as const;
    }),
  );
}
