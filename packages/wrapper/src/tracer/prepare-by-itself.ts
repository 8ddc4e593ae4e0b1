import {
  createExecPreparer,
  type ExecPreparer,
  processMemory,
  readRegisters,
  readVdso,
  SyscallError,
  writeRegisters,
} from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import { ASK, GO_TO_BEGINNING, regionFlags } from "./preparing.ts";
import {
  type RegisterLayout,
  readRegister,
  setRegisters,
  withoutRestart,
} from "./register-layout.ts";
import { roomInVdso, vdsoAddress } from "./vdso-room.ts";

const WORD_BYTES = 8;

/** The outcome; "no room": its vDSO is not in the usual place. */
export type ByItself = "begun" | "foreign" | "unreadable" | "no room";

/**
 * Has a program run the code of prepare.*.s before its first instruction, untraced. The code is in
 * the room behind the vDSO, if it may stay.
 */
export class PrepareByItself {
  readonly #layout: RegisterLayout;
  readonly #code: Uint8Array;
  readonly #room: number;
  readonly #parameters: readonly (readonly [register: number, value: bigint])[];

  private constructor(options: PrepareByItselfOptions, room: number) {
    const { layout, code, region } = options;
    const { preparing } = layout;
    this.#layout = layout;
    this.#room = room;
    this.#code = new Uint8Array(Math.ceil(code.length / WORD_BYTES) * WORD_BYTES);
    this.#code.set(code);
    this.#parameters = [
      [preparing.fd, ASK],
      [preparing.length, BigInt(region.lengthBytes)],
      [preparing.flags, BigInt(regionFlags(region, false) | GO_TO_BEGINNING)],
      [preparing.slotBytes, BigInt(region.lengthBytes)],
      ...withoutRestart(layout),
    ];
  }

  /** Undefined if the kernel maps no vDSO, or one without room. */
  static here(options: PrepareByItselfOptions): PrepareByItself | undefined {
    const vdso = readVdso();
    const room = vdso && roomInVdso(vdso, options.code.length);
    return room === undefined ? undefined : new PrepareByItself(options, room);
  }

  /** Prepares programs in the host, without the script; undefined if this runtime cannot. */
  withoutTurns(options: Descriptors): ExecPreparer | undefined {
    const { lengthBytes, instructionPointer, stackPointer, preparing } = this.#layout;
    const { beginning } = preparing;
    return createExecPreparer({
      ...options,
      layout: { lengthBytes, instructionPointer, stackPointer, beginning },
      parameters: this.#parameters,
      code: this.#code,
      room: this.#room,
    });
  }

  /** A process that stands in the exec event runs the code once it is released. */
  begin(pid: number): ByItself {
    const registers = readRegisters(pid);
    if (registers.length !== this.#layout.lengthBytes) return "foreign";
    try {
      const address = this.#placeCode(pid, registers);
      if (address === undefined) return "no room";
      const { instructionPointer, preparing } = this.#layout;
      setRegisters(registers, [
        ...this.#parameters,
        [preparing.beginning, readRegister(registers, instructionPointer)],
        [instructionPointer, BigInt(address)],
      ]);
      writeRegisters(pid, registers);
      return "begun";
    } catch (error) {
      if (error instanceof SyscallError && error.code === "EIO") return "unreadable";
      throw error;
    }
  }

  #placeCode(pid: number, registers: Uint8Array): number | undefined {
    using memory = processMemory(pid);
    const stack = Number(readRegister(registers, this.#layout.stackPointer));
    const vdso = vdsoAddress(stack, (address, length) => memory.read(address, length));
    if (vdso === undefined) return undefined;
    memory.write(vdso + this.#room, this.#code);
    return vdso + this.#room;
  }
}

/** The source of announcements, stops and requests, and the handler of the rest. */
type Descriptors = Pick<
  Parameters<typeof createExecPreparer>[0],
  "listener" | "childSignals" | "region" | "main"
>;

export interface PrepareByItselfOptions {
  readonly layout: RegisterLayout;
  readonly code: Uint8Array;
  /** Without slots: the program's values are never replaced. */
  readonly region: InheritedRegion;
}
