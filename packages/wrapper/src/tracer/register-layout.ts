import { architecture } from "@svc/kernel";
/**
 * How one architecture keeps its registers (the NT_PRSTATUS set of ptrace(2)) and makes a system
 * call. Everything that differs between architectures is here and in prepare-code.ts.
 */
export interface RegisterLayout {
  /** Length of the set; a process of another architecture or of 32 bits has another one. */
  readonly lengthBytes: number;
  /** The instruction that enters the kernel. */
  readonly systemCallInstruction: Uint8Array;
  readonly systemCalls: SystemCallNumbers;
  readonly instructionPointer: Register;
  readonly stackPointer: Register;
  /** The register of a system call's number and, after it, of its result. */
  readonly systemCallNumber: Register;
  readonly result: Register;
  /** The arguments of a system call; syscall(2). */
  readonly systemCallArguments: readonly Register[];
  /** The inputs and outputs of prepare.*.s. */
  readonly preparing: PreparingRegisters;
  /**
   * Says that the process is in no system call that a signal interrupted and that the kernel would
   * restart, which would move the instruction pointer back. Undefined if nothing must be said.
   */
  readonly restartGuard?: Register;
}

/** Offset in the set, in bytes; each register has 8. */
export type Register = number;

/** The registers in which the code of prepare.*.s finds its parameters and leaves its results. */
export interface PreparingRegisters {
  readonly fd: Register;
  readonly length: Register;
  readonly inode: Register;
  readonly flags: Register;
  readonly slotStart: Register;
  readonly slotBytes: Register;
  readonly slotsEnd: Register;
  /** The address at which the program begins. */
  readonly beginning: Register;
  /** 1 if a variable that is not an entry of the region holds a value. */
  readonly holdsCopy: Register;
}

/** The system calls that the tracer makes in a process, or watches for. */
export interface SystemCallNumbers {
  readonly mmap: number;
  readonly munmap: number;
  readonly close: number;
  readonly fstat: number;
  readonly mlock: number;
  readonly madvise: number;
  readonly execve: number;
  readonly execveat: number;
}

/** struct user_regs_struct of asm/user_64.h; syscall(2) for the calling convention. */
const x64: RegisterLayout = {
  lengthBytes: 27 * 8,
  systemCallInstruction: Uint8Array.of(0x0f, 0x05),
  systemCalls: {
    mmap: 9,
    munmap: 11,
    close: 3,
    fstat: 5,
    mlock: 149,
    madvise: 28,
    execve: 59,
    execveat: 322,
  },
  instructionPointer: 16 * 8,
  stackPointer: 19 * 8,
  systemCallNumber: 10 * 8,
  result: 10 * 8,
  // rdi, rsi, rdx, r10, r8, r9
  systemCallArguments: [14 * 8, 13 * 8, 12 * 8, 7 * 8, 9 * 8, 8 * 8],
  // r13, r12, r9, r15, rbx, rbp, rdi, r10, rbx
  preparing: {
    fd: 2 * 8,
    length: 3 * 8,
    inode: 8 * 8,
    flags: 0,
    slotStart: 5 * 8,
    slotBytes: 4 * 8,
    slotsEnd: 14 * 8,
    beginning: 7 * 8,
    holdsCopy: 5 * 8,
  },
  // orig_rax
  restartGuard: 15 * 8,
};

/** struct user_pt_regs of asm/ptrace.h: x0 to x30, sp, pc, pstate. */
const arm64: RegisterLayout = {
  lengthBytes: 34 * 8,
  // svc #0
  systemCallInstruction: Uint8Array.of(0x01, 0x00, 0x00, 0xd4),
  systemCalls: {
    mmap: 222,
    munmap: 215,
    close: 57,
    fstat: 80,
    mlock: 228,
    madvise: 233,
    execve: 221,
    execveat: 281,
  },
  instructionPointer: 32 * 8,
  stackPointer: 31 * 8,
  systemCallNumber: 8 * 8,
  result: 0,
  systemCallArguments: [0, 1 * 8, 2 * 8, 3 * 8, 4 * 8, 5 * 8],
  // x19 to x24, x1, x26, x23
  preparing: {
    fd: 19 * 8,
    length: 20 * 8,
    inode: 21 * 8,
    flags: 22 * 8,
    slotStart: 23 * 8,
    slotBytes: 24 * 8,
    slotsEnd: 1 * 8,
    beginning: 26 * 8,
    holdsCopy: 23 * 8,
  },
};

/** The layouts by the runtime's name of the architecture (architecture of @svc/kernel). */
export const registerLayouts: Readonly<Record<string, RegisterLayout>> = { x64, arm64 };

/** Known for x86-64 and arm64, the architectures of the runtime. */
export function layoutHere(): RegisterLayout {
  const layout = registerLayouts[architecture];
  if (layout === undefined) throw new TypeError(`no register layout for ${architecture}`);
  return layout;
}

/** Reads one register. Addresses of user space fit a number: they have at most 52 bits here. */
export function readRegister(registers: Uint8Array, register: Register): bigint {
  return viewOf(registers).getBigUint64(register, true);
}

/** A copy of the registers in which some have other values. */
export function withRegisters(
  registers: Uint8Array,
  changes: readonly (readonly [register: Register, value: bigint])[],
): Uint8Array {
  const copy = registers.slice();
  setRegisters(copy, changes);
  return copy;
}

/** Gives some registers other values. */
export function setRegisters(
  registers: Uint8Array,
  changes: readonly (readonly [register: Register, value: bigint])[],
): void {
  const view = viewOf(registers);
  for (const [register, value] of changes) view.setBigUint64(register, value, true);
}

/** The registers of a process that is about to enter a system call at `instruction`. */
export function enteringSystemCall(
  layout: RegisterLayout,
  registers: Uint8Array,
  call: {
    readonly instruction: number;
    readonly number: number;
    readonly arguments: readonly number[];
  },
): Uint8Array {
  const parameters = layout.systemCallArguments.map(
    (register, index) =>
      [register, BigInt.asUintN(64, BigInt(call.arguments[index] ?? 0))] as const,
  );
  return withRegisters(registers, [
    ...parameters,
    [layout.systemCallNumber, BigInt(call.number)],
    [layout.instructionPointer, BigInt(call.instruction)],
    ...withoutRestart(layout),
  ]);
}

/** The change that sets the restart guard; none if there is none. */
export function withoutRestart(
  layout: RegisterLayout,
): readonly (readonly [register: Register, value: bigint])[] {
  return layout.restartGuard === undefined ? [] : [[layout.restartGuard, 2n ** 64n - 1n]];
}

function viewOf(registers: Uint8Array): DataView {
  return new DataView(registers.buffer, registers.byteOffset, registers.byteLength);
}
