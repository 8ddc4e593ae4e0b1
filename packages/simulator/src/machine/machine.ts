import { drainMicrotasks } from "bun:jsc";
import type { Socket } from "./descriptions.ts";
import { type ErrorName, ProcessOver } from "./errors.ts";
import { Kernel } from "./kernel.ts";
import type { Process, Program } from "./process.ts";
import { Random } from "./random.ts";
import type { Trace } from "./trace.ts";

/** Something that happens at a time, outside of every process. */
interface Happening {
  readonly atUs: number;
  readonly happen: () => void;
}

/** The terminal's file. */
export const TERMINAL = "/dev/tty";
/** 2026-01-01, in milliseconds since the epoch. */
const FIRST_DAY_MS = 1_767_225_600_000;

/** A machine with a kernel, and the order in which its processes run: it follows from a seed. */
export class Machine extends Kernel {
  readonly random: Random;
  /** Calls that are not modelled, and were made all the same: such a run shows nothing. */
  readonly gaps: string[] = [];
  /** The process whose code runs. */
  current: Process | undefined;
  /** The program to which the code belongs that runs. */
  #code: Program | undefined;
  /** The part of reads and writes that are short. */
  shortPart = 0;
  /** Called after each turn. */
  afterTurn: (() => void) | undefined;
  /** Called before each call of the wrapper: something may come between any two. */
  atCall: ((call: string) => ErrorName | undefined) | undefined;
  /** Called with the bytes that a process gets by a call. */
  atBytes: ((bytes: Uint8Array) => void) | undefined;
  /** The only terminal, at `TERMINAL`; undefined without one. */
  terminal: { foreground: number } | undefined;
  /** The receivers of datagrams, by the paths of their sockets. */
  readonly receivers = new Map<string, (text: string) => void>();
  /** The servers outside of it, by the paths of their sockets. */
  readonly servers = new Map<string, (socket: Socket) => void>();
  #wallMs = FIRST_DAY_MS;
  #happenings: Happening[] = [];

  constructor(seed: number, trace: Trace) {
    super(trace);
    this.random = new Random(seed);
  }

  /** CLOCK_REALTIME, in milliseconds since the epoch. */
  get wallMs(): number {
    return this.#wallMs + this.nowUs / 1000;
  }

  /** Sets CLOCK_REALTIME forward or back; clock_settime(2). */
  moveWall(ms: number): void {
    this.#wallMs += ms;
  }

  /** The process whose code runs: it is alive, and has not become another program meanwhile. */
  get running(): Process {
    const { current } = this;
    if (!current?.isAlive || current.program !== this.#code) throw new ProcessOver();
    return current;
  }

  /** Has something happen after that time. */
  after(us: number, happen: () => void): void {
    const atUs = this.nowUs + Math.max(0, us);
    const index = this.#happenings.findIndex((other) => other.atUs > atUs);
    this.#happenings.splice(index < 0 ? this.#happenings.length : index, 0, { atUs, happen });
  }

  /** How many of a number of bytes a call takes: the kernel may take fewer; read(2), write(2). */
  someOf(count: number): number {
    const isShort = count > 1 && this.random.chance(this.shortPart);
    return isShort ? this.random.between(1, count - 1) : count;
  }

  /** Runs turns and happenings up to a time, or until `isOver`. False if time was over first. */
  run(untilUs: number, isOver: () => boolean): boolean {
    while (!isOver()) {
      if (this.nowUs >= untilUs) return false;
      this.step(untilUs);
    }
    return true;
  }

  /** Runs one turn of a process, or lets time pass to the next one. */
  step(untilUs: number): void {
    const due = this.#happenings[0];
    if (due !== undefined && due.atUs <= this.nowUs) {
      this.#happenings.shift();
      this.outside(due.happen);
      return;
    }
    const ready = [...this.processes.values()].filter((process) => this.#isReady(process));
    if (ready.length > 0) {
      this.turn(this.random.pick(ready));
      this.nowUs += this.random.between(1, 30);
      return;
    }
    this.nowUs = Math.max(this.nowUs, Math.min(untilUs, this.#nextUs()));
  }

  /** Lets something happen that no process does. */
  outside(happen: () => void): void {
    const [before, codeBefore] = [this.current, this.#code];
    this.current = undefined;
    this.#code = undefined;
    happen();
    this.current = before;
    this.#code = codeBefore;
  }

  /** Runs code of a process, and every job that it leaves. */
  turn(process: Process): void {
    this.enter(process, () => process.program?.turn());
    this.afterTurn?.();
  }

  /** The same for given code. */
  enter(process: Process, code: () => void): void {
    const [before, codeBefore] = [this.current, this.#code];
    this.current = process;
    this.#code = process.program;
    try {
      code();
    } catch (error) {
      if (!(error instanceof ProcessOver)) throw error;
    }
    drainMicrotasks();
    process.memory.forgetArrays();
    this.current = before;
    this.#code = codeBefore;
  }

  #isReady(process: Process): boolean {
    if (this.#rests(process)) return false;
    const at = process.program?.nextTurnUs();
    return at !== undefined && at <= this.nowUs;
  }

  #rests(process: Process): boolean {
    const { isAlive, isStopped, isFrozen } = process;
    return !isAlive || isStopped || isFrozen || this.#waiting.includes(process);
  }

  #nextUs(): number {
    let next = this.#happenings[0]?.atUs ?? Number.POSITIVE_INFINITY;
    for (const process of this.processes.values()) {
      if (this.#rests(process)) continue;
      next = Math.min(next, process.program?.nextTurnUs() ?? Number.POSITIVE_INFINITY);
    }
    return next;
  }

  /** Processes within a call that waits, the last one above the others on the stack. */
  readonly #waiting: Process[] = [];

  /**
   * Has the process that runs wait within a call. Others run meanwhile; those that began to wait
   * before it can go on only afterwards. False if the time is over first.
   */
  wait(isOver: () => boolean, untilUs = Number.POSITIVE_INFINITY): boolean {
    const { running } = this;
    const code = this.#code;
    if (isOver()) return true;
    // Jobs of the process that were ready would run before the call returns.
    drainMicrotasks();
    this.#waiting.push(running);
    try {
      const end = Math.min(untilUs, this.nowUs + MOST_WAIT_US);
      const inTime = this.run(end, () => (isOver() && !running.isFrozen) || !running.isAlive);
      if (!running.isAlive) throw new ProcessOver();
      if (!inTime && untilUs === Number.POSITIVE_INFINITY) {
        throw new Error(`process ${running.pid} waits for an hour within a call`);
      }
      return inTime;
    } finally {
      this.#waiting.pop();
      this.current = running;
      this.#code = code;
    }
  }
}

const MOST_WAIT_US = 3_600_000_000;
