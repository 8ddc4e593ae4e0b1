import { type Description, release } from "./descriptions.ts";
import { KernelError } from "./errors.ts";
import { Memory } from "./memory.ts";
import { PendingSignals, type Signal } from "./signals.ts";

/** How a process ended; wait(2). */
export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: number };

/** The code that a process runs. One turn runs without interruption, and takes no virtual time. */
export interface Program {
  /** The time of its next turn, in microseconds; undefined while it waits for others. */
  nextTurnUs(): number | undefined;
  turn(): void;
  /** False if it does not catch the signal. */
  catches(signal: number): boolean;
  onSignal(signal: Signal): void;
}

/** One entry of a table of descriptors. */
interface Entry {
  readonly description: Description;
  closesOnExec: boolean;
}

/** A resource limit; getrlimit(2). */
export interface Limit {
  readonly soft: bigint;
  readonly hard: bigint;
}

/** The state that a process hands on to its children and over an execve. */
export interface Inheritance {
  readonly group: number;
  readonly blocked: Iterable<number>;
  readonly ignored: Iterable<number>;
  readonly limits: ReadonlyMap<number, Limit>;
}

/** A process of the simulated machine. */
export class Process {
  readonly pid: number;
  parent: Process | undefined;
  group: number;
  name = "";
  argv: readonly Uint8Array[];
  /** Each `NAME=value`, as it lies in memory. */
  environment: readonly Uint8Array[];
  program: Program | undefined;
  readonly children = new Set<Process>();
  readonly blocked: Set<number>;
  readonly ignored: Set<number>;
  readonly pending = new PendingSignals();
  readonly limits: Map<number, Limit>;
  memory = new Memory();
  parentDeathSignal = 0;
  isSubreaper = false;
  isDumpable = true;
  isStopped = false;
  /** Its control group is frozen: it runs nothing, and only SIGKILL reaches it. */
  isFrozen = false;
  /** When that began last, and how long it has been so before. */
  frozenAtUs = 0;
  frozenUs = 0;
  /** Timers of the kernel that have fired meanwhile: their signals come first. */
  readonly afterThaw: (() => void)[] = [];
  /** Undefined while it runs; a zombie until its parent has waited for it. */
  ending: Ending | undefined;
  /** When it became the child of its parent. */
  adoptedAtUs = 0;
  /** The time of its end. */
  endedAtUs: number | undefined;
  /** A stop or its end that the parent has not seen. */
  news: "stopped" | "continued" | undefined;
  stopSignal = 0;
  errno = 0;
  #descriptors = new Map<number, Entry>();

  constructor(
    pid: number,
    parent: Process | undefined,
    words: { readonly argv: readonly Uint8Array[]; readonly environment: readonly Uint8Array[] },
    inheritance: Partial<Inheritance> = {},
  ) {
    this.pid = pid;
    this.parent = parent;
    parent?.children.add(this);
    this.argv = words.argv;
    this.environment = words.environment;
    this.group = inheritance.group ?? pid;
    this.blocked = new Set(inheritance.blocked);
    this.ignored = new Set(inheritance.ignored);
    this.limits = new Map(inheritance.limits);
  }

  get isAlive(): boolean {
    return this.ending === undefined;
  }

  /** No descriptor has this number or a higher one. */
  get descriptorLimit(): number {
    return Number(this.limits.get(RLIMIT_NOFILE)?.soft ?? 1024n);
  }

  /** Its open descriptors, in ascending order. */
  get descriptors(): readonly number[] {
    return [...this.#descriptors.keys()].sort((one, other) => one - other);
  }

  /** @throws KernelError `EBADF` */
  description(fd: number): Description {
    return this.#entry(fd).description;
  }

  /** Gives a description the lowest free number from `least` on. It takes a reference. */
  open(description: Description, closesOnExec: boolean, least = 0): number {
    let fd = least;
    while (this.#descriptors.has(fd)) fd++;
    if (fd >= this.descriptorLimit) {
      if (description.references === 0) description.close();
      throw new KernelError("EMFILE");
    }
    description.references++;
    this.#descriptors.set(fd, { description, closesOnExec });
    return fd;
  }

  /** @throws KernelError `EBADF` */
  close(fd: number): void {
    const { description } = this.#entry(fd);
    this.#descriptors.delete(fd);
    release(description);
  }

  closesOnExec(fd: number): boolean {
    return this.#entry(fd).closesOnExec;
  }

  setCloseOnExec(fd: number, closes: boolean): void {
    this.#entry(fd).closesOnExec = closes;
  }

  /** Gives descriptors to a new process, under the same numbers. */
  copyDescriptors(target: Process, isKept: (fd: number) => boolean): void {
    for (const [fd, { description, closesOnExec }] of this.#descriptors) {
      if (!isKept(fd)) continue;
      description.references++;
      target.#descriptors.set(fd, { description, closesOnExec });
    }
  }

  /** Closes those that do not survive execve(2). */
  closeOnExec(): void {
    for (const [fd, { closesOnExec }] of [...this.#descriptors]) if (closesOnExec) this.close(fd);
  }

  closeAll(): void {
    for (const fd of [...this.#descriptors.keys()]) this.close(fd);
  }

  #entry(fd: number): Entry {
    const entry = this.#descriptors.get(fd);
    if (entry === undefined) throw new KernelError("EBADF");
    return entry;
  }
}

/** getrlimit(2). */
export const RLIMIT_NOFILE = 7;
