import { closeDescriptor, openRegularFile, readAt } from "@svc/kernel";
import { neededLibraries } from "./elf-needed.ts";
import { readSegments, type Segment } from "./elf-segments.ts";

const HEADER_BYTES = 64;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const MAX_INTERPRETER_BYTES = 4096;

/** The runtimes of gcc and clang. Each ends the program if another library is loaded before it. */
const SANITIZER = /^lib(?:asan|clang_rt\.asan)\b/;

/** The parts of an executable that say how it is started; elf(5). */
export interface ElfFacts {
  /** e_machine. */
  readonly machine: number;
  readonly bits: 32 | 64;
  /** The dynamic loader that it names; undefined for a static program. */
  readonly loader: string | undefined;
  /**
   * True if it has a dynamic section; a static program that is position-independent has one too.
   */
  readonly dynamic: boolean;
  /** The runtime of AddressSanitizer, if it is a library of the program. */
  readonly sanitizer?: string;
}

/** The start of a file as the kernel looks at it. */
export type FileHead =
  | { readonly kind: "elf"; readonly facts: ElfFacts }
  /** `#!`: the interpreter that runs it, and the argument that it gets, if any. */
  | { readonly kind: "script"; readonly interpreter: Uint8Array; readonly argument: Uint8Array }
  | { readonly kind: "other" }
  /** It may be executed, and not read. */
  | { readonly kind: "unreadable" };

// BINPRM_BUF_SIZE of the kernel: longer first lines are cut.
const SCRIPT_BYTES = 256;
const LINE_END = 0x0a;
const SPACES: readonly number[] = [0x20, 0x09];

/** Reads the kind of a program file. It never throws. */
export function readFileHead(path: Uint8Array): FileHead {
  let fd: number;
  try {
    fd = openRegularFile(path);
  } catch {
    return { kind: "unreadable" };
  }
  try {
    return headOf(fd);
  } catch {
    return { kind: "other" };
  } finally {
    closeDescriptor(fd);
  }
}

function headOf(fd: number): FileHead {
  const buffer = new Uint8Array(SCRIPT_BYTES);
  const head = buffer.subarray(0, readAt(fd, buffer, 0));
  if (head[0] === 0x23 && head[1] === 0x21) return scriptOf(head);
  const view = new DataView(head.buffer, 0, head.length);
  if (head.length < HEADER_BYTES || view.getUint32(0) !== 0x7f454c46) return { kind: "other" };
  const machine = view.getUint16(18, true);
  // EI_CLASS and EI_DATA; nothing that runs here is big-endian.
  if (head[4] !== 2) {
    return { kind: "elf", facts: { machine, bits: 32, loader: undefined, dynamic: false } };
  }
  const segments = readSegments(fd, view);
  const sanitizer = neededLibraries(fd, segments).find((name) => SANITIZER.test(name));
  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  return {
    kind: "elf",
    facts: {
      machine,
      bits: 64,
      loader: interpreter && textAt(fd, interpreter),
      dynamic: segments.some(({ type }) => type === PT_DYNAMIC),
      ...(sanitizer !== undefined && { sanitizer }),
    },
  };
}

function textAt(fd: number, { offset, length }: Segment): string {
  const bytes = new Uint8Array(Math.min(length, MAX_INTERPRETER_BYTES));
  const read = bytes.subarray(0, readAt(fd, bytes, offset));
  return new TextDecoder().decode(read).replace(/\0.*$/s, "");
}

/** fs/binfmt_script.c: the first word after `#!`, and the rest of the line. */
function scriptOf(head: Uint8Array): FileHead {
  const end = head.indexOf(LINE_END);
  const line = trimmed(head.subarray(2, end < 0 ? head.length : end));
  const stop = line.findIndex((byte) => SPACES.includes(byte) || byte === 0);
  const interpreter = stop < 0 ? line : line.subarray(0, stop);
  if (interpreter.length === 0) return { kind: "other" };
  const argument = trimmed(line.subarray(interpreter.length));
  return { kind: "script", interpreter: interpreter.slice(), argument: argument.slice() };
}

function trimmed(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !SPACES.includes(byte));
  if (start < 0) return bytes.subarray(0, 0);
  return bytes.subarray(start, bytes.findLastIndex((byte) => !SPACES.includes(byte)) + 1);
}
