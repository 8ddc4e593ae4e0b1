import { architecture, bytesAt, libc } from "#native";
import { checked, lastErrno, SyscallError } from "./syscall-error.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const PROT_EXEC = 4;
const MAP_PRIVATE = 2;
const MAP_ANONYMOUS = 0x20;
const PAGE_BYTES = 4096;

/** What a signal handler does. */
export interface HandlerParts {
  /** The descriptor that each signal's number is written to. */
  readonly writeFd: number;
  /** The address of `int eventfd_write(int fd, eventfd_t value)`, which writes eight bytes; eventfd(2). */
  readonly eventfdWrite: bigint;
  /**
   * The handler that gets a signal to one thread instead, as pthread_kill(3) sends it: si_code is
   * SI_TKILL, sigaction(2). It needs SA_SIGINFO.
   */
  readonly fromThisProcess?: bigint;
}

/**
 * Makes a signal handler, which writes the signal's number to a descriptor. Its page stays for as long
 * as the process lives.
 *
 * @throws SyscallError where no page may be made executable; the runtime's own compiler needs that, too.
 */
export function signalHandler(parts: HandlerParts): bigint {
  const code = handlerCode(architecture, parts);
  const protection = PROT_READ | PROT_WRITE;
  const address = libc.mmap(0, PAGE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address < 0) throw new SyscallError("mmap", lastErrno());
  // The address is that of a mapping of exactly this length.
  bytesAt(Number(address), PAGE_BYTES).set(code);
  checked("mprotect", libc.mprotect(Number(address), PAGE_BYTES, PROT_READ | PROT_EXEC));
  return BigInt(address);
}

/**
 * The machine code of a handler(int signal, siginfo_t *info, void *context). It jumps on, so it needs no
 * stack of its own; eventfd_write is one write(2), safe in a handler (signal-safety(7)). Exported for
 * its test.
 *
 * @throws TypeError for an architecture that the runtime does not run on.
 */
export function handlerCode(architecture: string, parts: HandlerParts): Uint8Array {
  const { fromThisProcess } = parts;
  const writes = codeOf(architecture, "write", quad(parts.eventfdWrite), word(parts.writeFd));
  if (fromThisProcess === undefined) return Uint8Array.from(writes);
  return Uint8Array.from([...codeOf(architecture, "chain", quad(fromThisProcess)), ...writes]);
}

/** `write` calls eventfd_write(descriptor, signal). `chain` jumps away for SI_TKILL, else falls through. */
function codeOf(
  architecture: string,
  part: "write" | "chain",
  address: readonly number[],
  descriptor: readonly number[] = [],
): readonly number[] {
  switch (`${architecture} ${part}`) {
    case "x64 chain":
      return [
        ...[0x83, 0x7e, 0x08, 0xfa], // cmpl $SI_TKILL, 8(%rsi)
        ...[0x75, 0x0c], // jne 1f
        ...[0x48, 0xb8, ...address], // movabs $address, %rax
        ...[0xff, 0xe0], // jmp *%rax
      ]; // 1:
    case "x64 write":
      return [
        ...[0x89, 0xfe], // mov %edi, %esi
        ...[0xbf, ...descriptor], // mov $descriptor, %edi
        ...[0x48, 0xb8, ...address], // movabs $address, %rax
        ...[0xff, 0xe0], // jmp *%rax
      ];
    case "arm64 chain":
      return [
        ...[0x29, 0x08, 0x40, 0xb9], // ldr w9, [x1, #8]
        ...[0x3f, 0x19, 0x00, 0x31], // cmn w9, #-SI_TKILL
        ...[0xa1, 0x00, 0x00, 0x54], // b.ne 1f
        ...[0x4a, 0x00, 0x00, 0x58], // ldr x10, address
        ...[0x40, 0x01, 0x1f, 0xd6], // br x10
        ...address,
      ]; // 1:
    case "arm64 write":
      return [
        ...[0xe1, 0x03, 0x00, 0x2a], // mov w1, w0
        ...[0x80, 0x00, 0x00, 0x18], // ldr w0, descriptor
        ...[0x8a, 0x00, 0x00, 0x58], // ldr x10, address
        ...[0x40, 0x01, 0x1f, 0xd6], // br x10
        ...[0x1f, 0x20, 0x03, 0xd5], // nop
        ...descriptor,
        ...address,
      ];
    default:
      throw new TypeError(`no signal handler for ${architecture}`);
  }
}

function quad(value: bigint): readonly number[] {
  return [...new Uint8Array(BigUint64Array.of(value).buffer)];
}

function word(value: number): readonly number[] {
  return [...new Uint8Array(Int32Array.of(value).buffer)];
}
