import { Memory } from "./memory.ts";
import type { MachineFile } from "./program.ts";
import type { Process, Thread } from "./thread.ts";

const PAGE_BYTES = 4096;
const TEXT = 0x40_1000;
const BEGINNING = TEXT + 0x120;
/** Behind the last page of the text nothing is mapped, as in a tiny program. */
const TEXT_BYTES = PAGE_BYTES;
const SCRATCH = 0x60_0000;
/** The program's variable `environ`, from the start of its data. */
const ENVIRON = 0x61_0000;
const VDSO = 0x7ffd_0000_0000;
const STACK_END = 0x7ffc_0010_0000;
const STACK_BYTES = 1 << 14;
const I386_REGISTER_BYTES = 68;
const AT_EXECFN = 31;
const AT_PAGESZ = 6;
const AT_FLAGS = 8;

const MAPPINGS_END = 0x7f00_0000_0000;
const MAPPINGS_BYTES = 1 << 20;

const KINDS = 0x5f;

let loads = 0;
/** By the remainder of the inode. */
const pages = new Map<number, Uint8Array>();

/** A place for strings that a program hands to the kernel. */
export const scratch = SCRATCH;
/** The address of a program's variable `environ`. */
export const environVariable = ENVIRON;

/** The texts of a program's start. */
export interface Texts {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
}

/** Makes a process the one that execve(2) leaves: memory, registers, stack. */
export function loadProgram(thread: Thread, file: MachineFile, texts: Texts, vdso: Uint8Array) {
  const { process } = thread;
  const memory = new Memory();
  memory.map({ start: TEXT, bytes: textOf(file).slice(), isShared: false, path: file.path });
  memory.map({ start: SCRATCH, bytes: new Uint8Array(4 * PAGE_BYTES), isShared: false });
  memory.map({ start: ENVIRON, bytes: new Uint8Array(PAGE_BYTES), isShared: false });
  memory.map({ start: VDSO, bytes: vdso.slice(), isShared: false });
  const start = STACK_END - STACK_BYTES;
  memory.map({ start, bytes: new Uint8Array(STACK_BYTES), isShared: false });
  process.memory = memory;
  process.executions = process.file === file ? process.executions + 1 : 1;
  process.file = file;

  process.entry = BEGINNING;
  // No two programs have their mappings in the same place.
  loads += 1;
  process.mappingsEnd = MAPPINGS_END - loads * MAPPINGS_BYTES;
  process.behavior = file.behavior;
  process.handlers = new Set();
  const stack = writeStack(process, file, texts);
  thread.registers = registersOf(thread, file, stack);
  process.freshRegisters = thread.registers.slice();
  thread.program = undefined;
  thread.code = undefined;
  thread.call = undefined;
}

/** The bytes of a program's first page of text: two files after each other have others. */
export function textOf({ inode }: MachineFile): Uint8Array {
  const kind = inode % KINDS;
  const known = pages.get(kind);
  if (known !== undefined) return known;
  const text = Uint8Array.from({ length: TEXT_BYTES }, (_, at) => {
    return 0x20 + ((at * 7 + kind) % KINDS);
  });
  pages.set(kind, text);
  return text;
}

function registersOf(thread: Thread, file: MachineFile, stack: number): Uint8Array {
  if (file.bits === 32) return new Uint8Array(I386_REGISTER_BYTES);
  const { layout } = thread.process;
  const words = BigUint64Array.from({ length: layout.lengthBytes / 8 }, (_, index) =>
    // As the kernel leaves them, and the flags and segments not: these are to stay as they are.
    BigInt(index % 3 === 0 ? 0 : 0x200 + index),
  );
  thread.registers = new Uint8Array(words.buffer);
  thread.set(
    [layout.instructionPointer, BEGINNING],
    [layout.stackPointer, stack],
    [layout.result, 0],
  );
  return thread.registers;
}

/** The initial stack of the psABI. Returns the stack pointer. */
function writeStack(process: Process, file: MachineFile, texts: Texts): number {
  const { memory } = process;
  const encoder = new TextEncoder();
  let at = STACK_END - 64;
  const push = (text: string) => {
    const bytes = encoder.encode(`${text}\0`);
    at -= bytes.length;
    memory.write(at, bytes);
    return at;
  };
  const path = push(texts.path);
  const end = at;
  const environment = texts.environment.toReversed().map(push).toReversed();
  process.environmentStart = at;
  process.environmentBytes = end - at;
  const argv = texts.argv.toReversed().map(push).toReversed();
  const words = [
    argv.length,
    ...argv,
    0,
    ...environment,
    0,
    ...[
      file.firstAuxiliary,
      VDSO,
      AT_PAGESZ,
      PAGE_BYTES,
      file.hasPath ? AT_EXECFN : AT_FLAGS,
      path,
    ],
    // As many as the kernel has: no read of the variables goes further.
    ...Array.from({ length: 40 }, (_, index) => 100 + index),
    ...[0, 0],
  ];
  const below = at - 8 * words.length;
  const stack = below - (below % 16) - 16;
  memory.setWords(stack, words);
  process.slots = stack + 8 * (argv.length + 2);
  memory.setWord(ENVIRON, BigInt(process.slots));
  return stack;
}
