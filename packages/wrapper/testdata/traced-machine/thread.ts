import type { RegisterLayout } from "../../src/tracer/register-layout.ts";
import { readRegister, setRegisters } from "../../src/tracer/register-layout.ts";
import type { CodeCall, CodeEnd } from "./code-steps.ts";
import type { Memory } from "./memory.ts";
import type { Action, Behavior, MachineFile } from "./program.ts";

/** A stop that its tracer sees; ptrace(2). */
export interface Stop {
  readonly signal: number;
  readonly event: number;
  /** PTRACE_GETEVENTMSG. */
  readonly message: number;
  readonly at: "entry" | "exit" | "elsewhere";
  /** True once wait(2) has told it. */
  isTold: boolean;
  /** Goes on behind it, with a signal or 0. */
  readonly goOn: (signal: number) => void;
}

/** The reason for which a thread waits in the kernel. */
export type Wait =
  | { readonly kind: "sleep" }
  | { readonly kind: "disk" }
  | { readonly kind: "long way" }
  | { readonly kind: "vfork"; readonly child: Process }
  | { readonly kind: "answer"; readonly id: bigint }
  /** PTRACE_LISTEN, or stopped by job control without a tracer. */
  | { readonly kind: "stopped" };

/** An open file of a process. */
export type Descriptor = "region" | "other";

/** The preparing code at its work. */
export interface CodeRun {
  readonly start: number;
  readonly steps: Generator<CodeCall, CodeEnd, number>;
}

/** A system call under way. */
export interface Call {
  readonly number: number;
  readonly parameters: readonly number[];
}

/** The state of a program at its first instruction. */
export interface Beginning {
  readonly path: string;
  readonly registers: Uint8Array;
  readonly text: Uint8Array;
  readonly mask: bigint;
  readonly isTraced: boolean;
  readonly variables: Readonly<Record<string, string>>;
  readonly environ: string;
  readonly argv: readonly string[];
}

/** A thread of a process. */
export class Thread {
  readonly process: Process;
  tid: number;
  registers: Uint8Array;
  /** The blocked signals: bit 0 is signal 1. */
  mask = 0n;
  pending: number[] = [];
  /** The options of its tracer; undefined if it has none. */
  traced: number | undefined;
  /** True if it stops at the next entry or exit of a system call. */
  stopsAtCalls = false;
  isInterrupted = false;
  stop: Stop | undefined;
  wait: Wait | undefined;
  isDead = false;
  /** The next thing that it does, if nothing holds it. */
  next: (() => void) | undefined;
  /** A call that a signal has interrupted, and that the kernel makes again. */
  redo: (() => void) | undefined;
  /** The program that it runs, once that has begun. */
  program: Generator<Action, void, number> | undefined;
  /** The result of the last action, or of the last call of the preparing code. */
  result = 0;
  /** The preparing code, while it runs. */
  code: CodeRun | undefined;
  /** The system call that it is in. */
  call: Call | undefined;
  /** Signals that a handler of the program has seen. */
  readonly handled: number[] = [];

  constructor(process: Process, tid: number, registers: Uint8Array) {
    this.process = process;
    this.tid = tid;
    this.registers = registers;
  }

  get memory(): Memory {
    return this.process.memory;
  }

  get(register: number): number {
    return Number(BigInt.asIntN(64, readRegister(this.registers, register)));
  }

  set(...changes: readonly (readonly [register: number, value: number])[]): void {
    const words = changes.map(
      ([register, value]) => [register, BigInt.asUintN(64, BigInt(value))] as const,
    );
    setRegisters(this.registers, words);
  }

  blocks(signal: number): boolean {
    return ((this.mask >> BigInt(signal - 1)) & 1n) === 1n;
  }

  /** The letter of proc_pid_stat(5). */
  get state(): string {
    if (this.isDead) return "Z";
    if (this.stop !== undefined || this.wait?.kind === "stopped") return "t";
    switch (this.wait?.kind) {
      case "disk":
      case "vfork":
        return "D";
      case "long way":
        return "R";
      default:
        return this.wait === undefined ? "R" : "S";
    }
  }
}

/** The end of a process. */
export interface End {
  readonly code?: number;
  readonly signal?: number;
}

/** A process of the machine. */
export class Process {
  readonly pid: number;
  parent: number;
  readonly layout: RegisterLayout;
  threads: Thread[] = [];
  memory: Memory;
  file: MachineFile;
  descriptors = new Map<number, Descriptor>();
  real = 0;
  effective = 0;
  saved = 0;
  /** no_new_privs. */
  isPrivilegeFree = false;
  /** The user that it changes to by its next setuid(2). */
  nextUser = 0;
  /** A tracer that is not this process. */
  tracer: number | undefined;
  /** True if it has the filter. */
  isAnnounced = false;
  /** True if its next execve has the argument that the filter lets through. */
  isPassing = false;
  /** True if its links and /proc/PID/mem are closed to us: it has changed its user. */
  isClosed = false;
  /** True if its program may not be read. */
  isUnreadable = false;
  /** Calls of the preparing code that the kernel refuses it, by name. */
  refusals = new Map<string, number>();
  handlers = new Set<number>();
  environmentStart = 0;
  /** The programs that have begun in it. */
  readonly beginnings: Beginning[] = [];
  end: End | undefined;
  isReaped = false;
  /** The behavior of its next thread. */
  behavior: Behavior;
  /** The address at which its program begins. */
  entry = 0;
  /** The end of the place for its mappings. */
  mappingsEnd = 0;
  /** How often it has executed the file that it runs. */
  executions = 0;
  /** The registers that execve(2) has left. */
  freshRegisters: Uint8Array = new Uint8Array(0);

  constructor(options: {
    readonly pid: number;
    readonly parent: number;
    readonly layout: RegisterLayout;
    readonly memory: Memory;
    readonly file: MachineFile;
  }) {
    this.pid = options.pid;
    this.parent = options.parent;
    this.layout = options.layout;
    this.memory = options.memory;
    this.file = options.file;
    this.behavior = options.file.behavior;
  }

  get leader(): Thread {
    const [leader] = this.threads;
    if (leader === undefined) throw new TypeError("a process without threads");
    return leader;
  }

  /** The variables as getenv(3) finds them. */
  get variables(): Readonly<Record<string, string>> {
    const texts = this.memory.pointers(this.slots).map((at) => this.memory.text(at));
    return Object.fromEntries(
      texts.map((text) => [text.split("=", 1)[0], text.slice(text.indexOf("=") + 1)]),
    );
  }

  /** The arguments as main(3) gets them. */
  get words(): readonly string[] {
    const { memory, slots } = this;
    const words: string[] = [];
    for (let at = slots - 16; memory.word(at) !== BigInt(words.length); at -= 8) {
      words.unshift(memory.text(Number(memory.word(at))));
    }
    return words;
  }

  /** The bytes of /proc/PID/environ. */
  get environ(): string {
    const { environmentStart, environmentBytes } = this;
    return new TextDecoder().decode(this.memory.read(environmentStart, environmentBytes));
  }

  environmentBytes = 0;
  /** The address of the first slot of environ(7). */
  slots = 0;
}
