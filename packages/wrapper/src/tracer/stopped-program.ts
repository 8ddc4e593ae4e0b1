import {
  peekWord,
  pokeBytes,
  readRegisters,
  readSignalMask,
  resumeToSystemCall,
  SIGSTOP,
  SIGTRAP,
  SyscallError,
  sendSignal,
  systemCallStop,
  waitForStop,
  writeRegisters,
  writeSignalMask,
} from "@svc/kernel";
import {
  enteringSystemCall,
  type RegisterLayout,
  readRegister,
  type SystemCallNumbers,
  withoutRestart,
  withRegisters,
} from "./register-layout.ts";

const WORD_BYTES = 8;
const MAX_ERRNO = 4095;
const ALL_SIGNALS = new Uint8Array(8).fill(0xff);

/**
 * The program ended while it was being prepared (SIGKILL, the OOM killer): nothing is left to do.
 */
export class ProgramGoneError extends Error {
  override readonly name = "ProgramGoneError";
}

/** True for an error that means that the process has ended meanwhile. */
export function isGone(error: unknown): boolean {
  if (error instanceof ProgramGoneError) return true;
  if (!(error instanceof SyscallError)) return false;
  return error.code === "ESRCH" || (error.syscall === "waitid" && error.code === "ECHILD");
}

/** The program cannot be prepared, and must not run as it is. */
export class PreparationError extends Error {
  override readonly name = "PreparationError";
}

/**
 * A program at its first instruction, held there to be prepared. Its text, registers and signal
 * mask are changed for that; `restore` puts all of it back.
 */
export class StoppedProgram {
  readonly pid: number;
  readonly #layout: RegisterLayout;
  readonly #registers: Uint8Array;
  readonly #signalMask: Uint8Array;
  #text: Uint8Array = new Uint8Array(0);
  readonly #deferred: number[];

  private constructor(pid: number, layout: RegisterLayout, held: HeldState) {
    this.pid = pid;
    this.#layout = layout;
    this.#registers = held.registers;
    this.#signalMask = held.signalMask;
    this.#deferred = held.deferred;
  }

  /**
   * Takes a process that stands in the exec event. Undefined for a program of another architecture
   * or of 32 bits, which then stands behind its execve, unchanged.
   *
   * @throws ProgramGoneError
   */
  static atExecEvent(pid: number, layout: RegisterLayout): StoppedProgram | undefined {
    const signalMask = readSignalMask(pid);
    // From here to `restore` no signal runs a handler or ends the program, but SIGKILL.
    writeSignalMask(pid, ALL_SIGNALS);
    // Out of execve: its own return would else overwrite the registers.
    const deferred = runToSystemCallStop(pid);
    const registers = readRegisters(pid);
    if (registers.length !== layout.lengthBytes) {
      writeSignalMask(pid, signalMask);
      for (const signal of deferred) sendSignal(pid, signal);
      return undefined;
    }
    return new StoppedProgram(pid, layout, { registers, signalMask, deferred: [...deferred] });
  }

  /** Takes a process that stands at its first instruction, outside of any system call. */
  static atFirstInstruction(pid: number, layout: RegisterLayout): StoppedProgram {
    const signalMask = readSignalMask(pid);
    writeSignalMask(pid, ALL_SIGNALS);
    return new StoppedProgram(pid, layout, {
      registers: readRegisters(pid),
      signalMask,
      deferred: [],
    });
  }

  get stackPointer(): number {
    return Number(readRegister(this.#registers, this.#layout.stackPointer));
  }

  /** Makes a system call in the program. Returns its result, or the negative errno. */
  call(name: keyof SystemCallNumbers, ...parameters: readonly number[]): number {
    this.#writeText(this.#layout.systemCallInstruction);
    writeRegisters(
      this.pid,
      enteringSystemCall(this.#layout, this.#registers, {
        instruction: this.#start,
        number: this.#layout.systemCalls[name],
        arguments: parameters,
      }),
    );
    this.#finishSystemCall();
    const { result } = this.#layout;
    return Number(BigInt.asIntN(64, readRegister(readRegisters(this.pid), result)));
  }

  readWord(address: number): bigint {
    return peekWord(this.pid, address);
  }

  writeWords(address: number, words: readonly bigint[]): void {
    pokeBytes(this.pid, address, new Uint8Array(BigUint64Array.from(words).buffer));
  }

  /** Restores the program, at its first instruction. It stays stopped. */
  restore(): void {
    pokeBytes(this.pid, this.#start, this.#text);
    writeRegisters(this.pid, withRegisters(this.#registers, withoutRestart(this.#layout)));
    this.letBe();
  }

  /**
   * Lets the program execute itself again. It stands at the entry of that execve, for its tracer to
   * detach:
   * untraced, it gets its file's privileges. A program whose file has vanished meanwhile would
   * crash.
   */
  executeAgain(words: {
    readonly path: number;
    readonly argv: number;
    readonly envp: number;
  }): void {
    this.#writeText(this.#layout.systemCallInstruction);
    writeRegisters(
      this.pid,
      enteringSystemCall(this.#layout, this.#registers, {
        instruction: this.#start,
        number: this.#layout.systemCalls.execve,
        arguments: [words.path, words.argv, words.envp],
      }),
    );
    this.#deferred.push(...runToSystemCallStop(this.pid));
    this.letBe();
  }

  /** Lets signals through again: all that is to be put back if nothing was done but `hold`. */
  letBe(): void {
    writeSignalMask(this.pid, this.#signalMask);
    for (const signal of this.#deferred) sendSignal(this.pid, signal);
  }

  get #start(): number {
    return Number(readRegister(this.#registers, this.#layout.instructionPointer));
  }

  #writeText(code: Uint8Array): void {
    const length = Math.ceil(code.length / WORD_BYTES) * WORD_BYTES;
    this.#saveText(length);
    const bytes = this.#text.slice(0, length);
    bytes.set(code);
    pokeBytes(this.pid, this.#start, bytes);
  }

  /**
   * No more than is needed, for a tiny program's text ends soon; and never the overwritten bytes.
   */
  #saveText(length: number): void {
    const known = this.#text.length;
    if (known >= length) return;
    const more = readBytes(this.pid, this.#start + known, length - known);
    this.#text = Uint8Array.from([...this.#text, ...more]);
  }

  /** To the system call's entry, and out of it. */
  #finishSystemCall(): void {
    this.#deferred.push(...runToSystemCallStop(this.pid), ...runToSystemCallStop(this.pid));
  }
}

/** True for the return value of a failed system call. */
export function isErrno(result: number): boolean {
  return result < 0 && result >= -MAX_ERRNO;
}

interface HeldState {
  readonly registers: Uint8Array;
  readonly signalMask: Uint8Array;
  readonly deferred: number[];
}

/** Returns the signals that came instead and were held back: SIGSTOP is the only one that can. */
function runToSystemCallStop(pid: number): readonly number[] {
  const deferred: number[] = [];
  for (;;) {
    resumeToSystemCall(pid);
    const stop = waitForStop(pid);
    if (stop === undefined) throw new ProgramGoneError();
    if (stop.event === 0 && stop.signal === (SIGTRAP | systemCallStop)) return deferred;
    if (stop.event === 0 && stop.signal !== SIGSTOP) {
      throw new PreparationError(`signal ${stop.signal} while the program was prepared`);
    }
    if (stop.event === 0) deferred.push(stop.signal);
  }
}

function readBytes(pid: number, address: number, length: number): Uint8Array {
  const words = BigUint64Array.from({ length: length / WORD_BYTES }, (_, index) =>
    peekWord(pid, address + index * WORD_BYTES),
  );
  return new Uint8Array(words.buffer);
}
