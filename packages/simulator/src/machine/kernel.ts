import { KernelError } from "./errors.ts";
import { Files } from "./files.ts";
import { Memory } from "./memory.ts";
import { type Ending, type Inheritance, Process, type Program } from "./process.ts";
import { defaultAction, type Signal, signals } from "./signals.ts";
import type { Trace } from "./trace.ts";

/** Makes the program of an executable file for a process that has just executed it. */
export type ProgramMaker = (process: Process) => Program;

/** The change of a child that waitid(2) reports. */
export interface ChildNews {
  readonly process: Process;
  readonly kind: "exited" | "killed" | "stopped" | "continued";
  readonly status: number;
}

const FIRST_PID = 7;
/** The clock when the machine begins. */
export const FIRST_US = 1_000_000;

/** The processes of a machine: how they begin, get signals and end. */
export class Kernel {
  readonly trace: Trace;
  readonly files: Files;
  readonly processes = new Map<number, Process>();
  /** The user of all processes. */
  user = 0;
  /** CLOCK_MONOTONIC, in microseconds. */
  nowUs = FIRST_US;
  #lastPid = FIRST_PID;
  readonly #executables = new Map<string, ProgramMaker>();

  constructor(trace: Trace) {
    this.trace = trace;
    this.files = new Files(this);
  }

  /** Installs an executable file. */
  install(path: string, make: ProgramMaker): void {
    this.files.add(path, "regular", { permissions: 0o755 });
    this.#executables.set(path, make);
  }

  newPid(): number {
    return this.#lastPid++;
  }

  /** Starts a process that is not the child of another. */
  start(path: string, process: Process): void {
    this.processes.set(process.pid, process);
    process.program = this.#maker(path)(process);
  }

  /** fork(2), as far as the kernel's part goes. */
  fork(parent: Process, inheritance: Inheritance, isKept: (fd: number) => boolean): Process {
    const pid = this.newPid();
    const child = new Process(pid, parent, parent, {
      ...inheritance,
      group: inheritance.group || pid,
    });
    child.adoptedAtUs = this.nowUs;
    child.name = parent.name;
    child.isDumpable = parent.isDumpable;
    child.memory = parent.memory.copy();
    parent.copyDescriptors(child, isKept);
    this.processes.set(pid, child);
    this.trace.note(`fork: ${parent.pid} → ${pid}`);
    return child;
  }

  /** execve(2). The caller's code goes on no more. */
  execute(
    process: Process,
    path: string,
    words: { readonly argv: readonly Uint8Array[]; readonly environment: readonly Uint8Array[] },
  ): void {
    const make = this.#maker(path);
    process.argv = words.argv.map((word) => word.slice());
    process.environment = words.environment.map((entry) => entry.slice());
    process.memory = new Memory();
    process.isDumpable = true;
    process.name = path.slice(path.lastIndexOf("/") + 1, path.lastIndexOf("/") + 16);
    process.closeOnExec();
    process.program = make(process);
    this.trace.note(`execve: ${process.pid} ${path}`);
  }

  #maker(path: string): ProgramMaker {
    const make = this.#executables.get(path);
    if (make === undefined) throw new KernelError("ENOENT");
    return make;
  }

  /** Ends a process; its children get another parent. */
  end(process: Process, ending: Ending): void {
    if (!process.isAlive) return;
    process.ending = ending;
    process.endedAtUs = this.nowUs;
    const status = ending.kind === "exited" ? ending.code : ending.signal;
    this.trace.note(`end: ${process.pid} ${ending.kind} ${status}`);
    process.closeAll();
    const heir = this.#heirOf(process);
    for (const child of [...process.children]) {
      if (child.parentDeathSignal !== 0 && child.isAlive) {
        this.kill(child, { number: child.parentDeathSignal, from: "kernel" });
      }
      this.#adopt(child, heir);
      if (child.isStopped && child.group !== process.group) this.#wakeOrphan(child);
    }
    if (process.pid === 1) this.#endAll();
    const { parent } = process;
    if (parent === undefined) this.processes.delete(process.pid);
    else this.#tellParent(process, parent);
  }

  /** A stopped process group that has lost its parent hears of it; setpgid(2). */
  #wakeOrphan(process: Process): void {
    for (const number of [signals.SIGHUP, signals.SIGCONT]) {
      this.kill(process, { number, from: "kernel" });
    }
  }

  /** The nearest ancestor that adopts orphans, or the first process; prctl(2). */
  #heirOf(process: Process): Process | undefined {
    for (let above = process.parent; above !== undefined; above = above.parent) {
      if (above.isAlive && (above.isSubreaper || above.parent === undefined)) return above;
    }
    return this.processes.get(1);
  }

  #adopt(child: Process, heir: Process | undefined): void {
    child.parent?.children.delete(child);
    child.parent = heir?.isAlive ? heir : undefined;
    child.adoptedAtUs = this.nowUs;
    child.parent?.children.add(child);
    if (child.isAlive) return;
    if (child.parent === undefined) this.processes.delete(child.pid);
    else this.#tellParent(child, child.parent);
  }

  /** The kernel ends a PID namespace with its first process; pid_namespaces(7). */
  #endAll(): void {
    for (const other of [...this.processes.values()]) {
      this.end(other, { kind: "killed", signal: signals.SIGKILL });
    }
  }

  /** A parent that ignores SIGCHLD has no zombies; wait(2). */
  #tellParent(child: Process, parent: Process): void {
    if (parent.ignored.has(signals.SIGCHLD) && !child.isAlive) this.reap(child);
    else this.kill(parent, { number: signals.SIGCHLD, from: "kernel" });
  }

  /** Forgets a zombie. */
  reap(process: Process): void {
    process.parent?.children.delete(process);
    this.processes.delete(process.pid);
  }

  /** The next change of a child that its parent has not seen; waitid(2). */
  childNews(
    parent: Process,
    isWanted: (child: Process) => boolean,
    wantsKind: (kind: ChildNews["kind"]) => boolean,
  ): ChildNews | undefined {
    for (const child of parent.children) {
      if (!isWanted(child)) continue;
      const { ending, news } = child;
      if (ending !== undefined && wantsKind(ending.kind)) {
        const status = ending.kind === "exited" ? ending.code : ending.signal;
        return { process: child, kind: ending.kind, status };
      }
      if (ending === undefined && news !== undefined && wantsKind(news)) {
        return { process: child, kind: news, status: child.stopSignal };
      }
    }
    return undefined;
  }

  /** Sends a signal to one process. */
  kill(process: Process, signal: Signal): void {
    if (!process.isAlive) return;
    const { number } = signal;
    if (number === signals.SIGKILL) {
      this.end(process, { kind: "killed", signal: number });
      return;
    }
    const isStop = defaultAction(number) === "stops";
    if (isStop) process.pending.forget((other) => other === signals.SIGCONT);
    if (number === signals.SIGCONT) {
      process.pending.forget((other) => defaultAction(other) === "stops");
      this.#continue(process);
    }
    if (number !== signals.SIGSTOP && process.blocked.has(number)) {
      process.pending.add(signal);
      return;
    }
    if (process.ignored.has(number) && number !== signals.SIGSTOP) return;
    if (process.isStopped || process.isFrozen) process.pending.add(signal);
    else this.#deliver(process, signal);
    this.deliverPending(process);
  }

  /** Writes 1 to cgroup.freeze of a process. */
  freeze(process: Process): void {
    process.isFrozen = process.isAlive;
    process.frozenAtUs = this.nowUs;
  }

  /** Writes 0 there. */
  thaw(process: Process): void {
    if (process.isFrozen) process.frozenUs += this.nowUs - process.frozenAtUs;
    process.isFrozen = false;
    for (const fired of process.afterThaw.splice(0)) fired();
    this.deliverPending(process);
  }

  /** Delivers the pending signals that the process does not block. A stopped one gets none. */
  deliverPending(process: Process): void {
    while (process.isAlive && !process.isStopped && !process.isFrozen) {
      const next = process.pending.take(({ number }) => !process.blocked.has(number));
      if (next === undefined) return;
      this.#deliver(process, next);
    }
  }

  #deliver(process: Process, signal: Signal): void {
    const { number } = signal;
    const isCaught = number !== signals.SIGSTOP && process.program?.catches(number) === true;
    if (isCaught) process.program?.onSignal(signal);
    else this.#actByDefault(process, number);
  }

  #actByDefault(process: Process, number: number): void {
    // The first process of a PID namespace has no default actions; pid_namespaces(7).
    if (process.pid === 1) return;
    const action = defaultAction(number);
    if (action === "ends") this.end(process, { kind: "killed", signal: number });
    if (action !== "stops") return;
    process.isStopped = true;
    process.news = "stopped";
    process.stopSignal = number;
    if (process.parent !== undefined) this.#tellParent(process, process.parent);
  }

  #continue(process: Process): void {
    if (!process.isStopped) return;
    process.isStopped = false;
    process.news = "continued";
    process.stopSignal = signals.SIGCONT;
    if (process.parent !== undefined) this.#tellParent(process, process.parent);
  }
}
