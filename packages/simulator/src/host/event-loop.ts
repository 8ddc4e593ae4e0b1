import { ProcessOver } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process, Program } from "../machine/process.ts";
import type { Signal } from "../machine/signals.ts";
import { Rounds } from "./rounds.ts";

interface Timer {
  dueUs: number;
  readonly periodUs: number | undefined;
  readonly callback: () => void;
}

interface Watch {
  readonly fd: number;
  readonly callback: () => void;
}

type TakeSignal = (signal: number, from: Signal["from"], value?: bigint) => void;

/**
 * The loop of one process, as engine/host/src/event_loop.rs. It goes round by round over signals,
 * answers to requests, descriptors and timers. One turn of the simulation is one event.
 */
export class EventLoop implements Program {
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #timers = new Map<number, Timer>();
  readonly #watches = new Map<number, Watch>();
  readonly #settlements: (() => void)[] = [];
  /** In the order of a round. */
  readonly #sources: readonly (() => (() => void) | undefined)[] = [
    () => this.#signalEvent(),
    () => this.#settlement(),
    () => this.#watchEvent(),
    () => this.#timerEvent(),
  ];
  readonly #rounds = new Rounds(BUDGETS);
  readonly #gates: { readonly isOpen: () => boolean; readonly go: () => void }[] = [];
  #takeSignal: TakeSignal | undefined;
  #lastSignal = 0;
  #lastId = 0;
  #lastWatch = 0;
  /** Requests without an answer, and servers, keep the process alive. */
  requests = 0;
  /** Hears of each error that the script throws and does not catch. */
  onUncaught: ((error: unknown) => void) | undefined;

  constructor(machine: Machine, process: Process) {
    this.#machine = machine;
    this.#process = process;
  }

  /** Has something run in a later turn. */
  settle(settlement: () => void): void {
    this.#settlements.push(settlement);
  }

  /** The same, once a condition holds: until then the process gets no processor. */
  settleWhen(isOpen: () => boolean, go: () => void): void {
    this.#gates.push({ isOpen, go });
  }

  startTimer(callback: () => void, ms: number, repeats: boolean): number {
    const id = ++this.#lastId;
    const us = Math.max(0, Math.ceil(ms * 1000)) || 0;
    const periodUs = repeats ? Math.max(1000, us) : undefined;
    this.#timers.set(id, { dueUs: this.#machine.nowUs + us, periodUs, callback });
    return id;
  }

  stopTimer(id: number): void {
    this.#timers.delete(id);
  }

  watch(fd: number, callback: () => void): number {
    const id = ++this.#lastId;
    this.#watches.set(id, { fd, callback });
    return id;
  }

  unwatch(id: number): void {
    this.#watches.delete(id);
  }

  takeSignals(take: TakeSignal): void {
    this.#takeSignal = take;
  }

  /** Whether nothing can ever happen any more. */
  get isOver(): boolean {
    const counts = [
      this.#timers.size,
      this.#watches.size,
      this.#settlements.length,
      this.#gates.length,
    ];
    return (
      this.#takeSignal === undefined && this.requests === 0 && counts.every((count) => count === 0)
    );
  }

  nextTurnUs(): number | undefined {
    if (this.isOver || this.#sources.some((source) => source() !== undefined))
      return this.#machine.nowUs;
    let next: number | undefined;
    for (const { dueUs } of this.#timers.values()) next = Math.min(next ?? dueUs, dueUs);
    return next;
  }

  turn(): void {
    if (this.isOver) throw new Error(`process ${this.#process.pid} has nothing to wait for`);
    try {
      this.#nextEvent()?.();
    } catch (error) {
      if (error instanceof ProcessOver || this.onUncaught === undefined) throw error;
      this.onUncaught(error);
    }
  }

  /** Every signal waits for the script: the host blocks all of them. */
  catches(): boolean {
    return false;
  }

  onSignal(): void {
    // It has caught none.
  }

  #nextEvent(): (() => void) | undefined {
    for (;;) {
      const step = this.#rounds.step((source) => this.#sources[source]?.());
      if (step !== "round over") return step?.event;
    }
  }

  #signalEvent(): (() => void) | undefined {
    const take = this.#takeSignal;
    if (take === undefined || !this.#process.pending.has(() => true)) return undefined;
    return () => {
      const signal = this.#process.pending.takeAfter(this.#lastSignal);
      if (signal === undefined) return;
      this.#lastSignal = signal.number;
      take(signal.number, signal.from, signal.value);
    };
  }

  #settlement(): (() => void) | undefined {
    if (this.#settlements.length > 0) return () => this.#settlements.shift()?.();
    const index = this.#gates.findIndex(({ isOpen }) => isOpen());
    return index < 0 ? undefined : () => this.#gates.splice(index, 1)[0]?.go();
  }

  #watchEvent(): (() => void) | undefined {
    const ready = [...this.#watches].filter(([, { fd }]) => this.#isReadable(fd));
    const next = ready.find(([id]) => id > this.#lastWatch) ?? ready[0];
    if (next === undefined) return undefined;
    return () => {
      [this.#lastWatch] = next;
      next[1].callback();
    };
  }

  #isReadable(fd: number): boolean {
    return this.#process.descriptors.includes(fd) && this.#process.description(fd).isReadable();
  }

  #timerEvent(): (() => void) | undefined {
    let first: [number, Timer] | undefined;
    for (const entry of this.#timers) {
      if (
        entry[1].dueUs <= this.#machine.nowUs &&
        entry[1].dueUs < (first?.[1].dueUs ?? Infinity)
      ) {
        first = entry;
      }
    }
    if (first === undefined) return undefined;
    const [id, timer] = first;
    return () => {
      if (timer.periodUs === undefined) this.#timers.delete(id);
      else timer.dueUs = this.#machine.nowUs + timer.periodUs;
      timer.callback();
    };
  }
}

/** The most events of each source in one round: signals, answers, descriptors, timers. */
const BUDGETS = [32, 32, 1, 32];
