import {
  type ProcessMemory,
  processMemory,
  readRegisters,
  readSignalMask,
  SyscallError,
  sendSignal,
  writeRegisters,
  writeSignalMask,
} from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import type { Placement } from "./placement.ts";
import {
  type RegisterLayout,
  readRegister,
  withoutRestart,
  withRegisters,
} from "./register-layout.ts";
import { isErrno } from "./stopped-program.ts";

const PAGE_BYTES = 4096n;
const WORD_BYTES = 8;
/** Bit of SIGTRAP in a mask. */
const SIGTRAP_BIT = 1 << 4;
const LOCK = 1;
const CLOSE = 2;
const MUST_LOCK = 4;
/** The program goes to its beginning by itself, and its tracer need not wait for it. */
export const GO_TO_BEGINNING = 8;
/** In the place of a descriptor: the program asks its listener for one. */
export const ASK = BigInt.asUintN(64, -1n);
const ARM64_INSTRUCTION_BYTES = 4;
const MAX_POINTERS = 1 << 20;

/** The changes to a program. */
export interface Preparation {
  readonly layout: RegisterLayout;
  readonly code: Uint8Array;
  readonly region: InheritedRegion;
  /** The offset of the current generation's slot, and the length of a slot. */
  readonly slotStart: number;
  readonly slotBytes: number;
  /** If the program has the region's descriptor; undefined if it asks its listener for one. */
  readonly fd: number | undefined;
  /** True if the program uses the Go library, which reads the region by itself. */
  readonly isLibrary: boolean;
  /** True if the program keeps the descriptor. */
  readonly keepsDescriptor: boolean;
}

/** The outcome. */
export type Prepared =
  | {
      readonly kind: "prepared";
      /** The address of the region's mapping. */
      readonly address: number;
      /** The address of envp's first slot, and the number of slots. */
      readonly slots: () => Pick<Placement, "slotsAddress" | "slotCount">;
      /** The region's descriptor in the program, if it keeps one. */
      readonly fd: number;
      /** True if a variable that is not an entry of the region holds a value. */
      readonly holdsCopy: boolean;
    }
  /** The negative errno of the first failed call in the program. */
  | { readonly kind: "refused"; readonly result: number };

/**
 * A program that stands behind its execve, and runs the code of prepare.*.s before its first
 * instruction. The code is put over the page that the program starts in, and taken away again.
 */
export class Preparing {
  /** True if it will ask for the region's descriptor. */
  readonly asks: boolean;
  /** True if it uses the Go library. */
  readonly isLibrary: boolean;
  readonly #pid: number;
  readonly #preparation: Preparation;
  readonly #registers: Uint8Array;
  readonly #signalMask: Uint8Array;
  readonly #memory: ProcessMemory;
  readonly #start: number;
  readonly #text: Uint8Array;
  /** Signals that came meanwhile. */
  readonly #deferred: number[] = [];

  private constructor(pid: number, preparation: Preparation, found: Found) {
    const { layout, code } = preparation;
    const { registers, memory } = found;
    this.#pid = pid;
    this.#preparation = preparation;
    this.asks = preparation.fd === undefined;
    this.isLibrary = preparation.isLibrary;
    this.#registers = registers;
    this.#signalMask = readSignalMask(pid);
    this.#memory = memory;
    const instruction = readRegister(registers, layout.instructionPointer);
    this.#start = Number(instruction - (instruction % PAGE_BYTES));
    const length = Math.ceil(code.length / WORD_BYTES) * WORD_BYTES;
    this.#text = this.#memory.read(this.#start, length);
  }

  /**
   * Makes a process that stands in the exec event ready to run the code; its tracer lets it go on.
   * "foreign": a program of another architecture, or of 32 bits. "unreadable": its file may not be
   * read, and so its memory may not. Both stand unchanged.
   */
  static begin(pid: number, preparation: Preparation): Preparing | "foreign" | "unreadable" {
    const registers = readRegisters(pid);
    if (registers.length !== preparation.layout.lengthBytes) return "foreign";
    const memory = processMemory(pid);
    try {
      const preparing = Preparing.#withCode(pid, preparation, { registers, memory });
      if (preparing !== undefined) {
        // It would run into the code now: an error must not let it go on.
        preparing.#enter();
        return preparing;
      }
    } catch (error) {
      memory[Symbol.dispose]();
      throw error;
    }
    memory[Symbol.dispose]();
    return "unreadable";
  }

  /** Undefined if its memory is closed: nothing is changed then. */
  static #withCode(pid: number, preparation: Preparation, found: Found): Preparing | undefined {
    try {
      const preparing = new Preparing(pid, preparation, found);
      preparing.#placeCode();
      return preparing;
    } catch (error) {
      if (error instanceof SyscallError && error.code === "EIO") return undefined;
      throw error;
    }
  }

  /** Holds a signal back until the program is restored. */
  defer(signal: number): void {
    this.#deferred.push(signal);
  }

  /** Whether it has come to its end: another process could send it the same signal. */
  isAtEnd(): boolean {
    const { layout, code } = this.#preparation;
    const at = Number(readRegister(readRegisters(this.#pid), layout.instructionPointer));
    const end = this.#start + code.length;
    // On x86-64 behind the instruction that traps, on arm64 at it.
    return at === end || at === end - ARM64_INSTRUCTION_BYTES;
  }

  /**
   * Takes the code away when it has come to its end. The program stands at its first instruction.
   */
  finish(): Prepared {
    const { layout } = this.#preparation;
    const after = readRegisters(this.#pid);
    this.#memory.write(this.#start, this.#text);
    // The return value of execve; the kernel has put it there for the code.
    const zero = [layout.result, 0n] as const;
    const restored = withRegisters(this.#registers, [zero, ...withoutRestart(layout)]);
    writeRegisters(this.#pid, restored);
    // A trap that is blocked is delivered all the same, and then no longer blocked.
    if (((this.#signalMask[0] ?? 0) & SIGTRAP_BIT) !== 0) {
      writeSignalMask(this.#pid, this.#signalMask);
    }
    const result = Number(BigInt.asIntN(64, readRegister(after, layout.result)));
    if (isErrno(result)) return { kind: "refused", result };
    const fd = Number(BigInt.asIntN(32, readRegister(after, layout.preparing.fd)));
    const holdsCopy = readRegister(after, layout.preparing.holdsCopy) === 1n;
    return { kind: "prepared", address: result, fd, holdsCopy, slots: () => this.#slots(after) };
  }

  /** To be called once nothing is done to the program any more, before it is released. */
  sendDeferred(): void {
    for (const signal of this.#deferred.splice(0)) sendSignal(this.#pid, signal);
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }

  #placeCode(): void {
    const text = this.#text.slice();
    text.set(this.#preparation.code);
    this.#memory.write(this.#start, text);
  }

  #enter(): void {
    const { layout, region, slotStart, slotBytes, fd, keepsDescriptor } = this.#preparation;
    const { preparing } = layout;
    const changes: (readonly [number, number])[] = [
      [preparing.fd, fd ?? -1],
      [preparing.length, region.lengthBytes],
      [preparing.inode, region.inode],
      [preparing.flags, regionFlags(region, keepsDescriptor)],
      [preparing.slotStart, slotStart],
      [preparing.slotBytes, slotBytes],
      [layout.instructionPointer, this.#start],
    ];
    const entering = withRegisters(this.#registers, [
      ...changes.map(([register, value]) => [register, word(value)] as const),
      ...withoutRestart(layout),
    ]);
    writeRegisters(this.#pid, entering);
  }

  #slots(after: Uint8Array) {
    const { layout } = this.#preparation;
    const stack = Number(readRegister(this.#registers, layout.stackPointer));
    const argc = Number(new BigUint64Array(this.#memory.read(stack, WORD_BYTES).buffer)[0]);
    if (argc > MAX_POINTERS) throw new RangeError("not an initial stack: too many arguments");
    const slotsAddress = stack + WORD_BYTES * (argc + 2);
    const end = Number(readRegister(after, layout.preparing.slotsEnd));
    return { slotsAddress, slotCount: (end - slotsAddress) / WORD_BYTES };
  }
}

/** The state of a program behind its execve. */
interface Found {
  readonly registers: Uint8Array;
  readonly memory: ProcessMemory;
}

/** The flags of prepare.*.s that a region asks for. */
export function regionFlags({ kind, mustLock }: InheritedRegion, keepsDescriptor: boolean) {
  const lock = kind === "memfd_secret" ? 0 : LOCK | (mustLock ? MUST_LOCK : 0);
  return lock | (keepsDescriptor ? 0 : CLOSE);
}

function word(value: number): bigint {
  return BigInt.asUintN(64, BigInt(value));
}
