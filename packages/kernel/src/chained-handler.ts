import { type Pointer, toArrayBuffer } from "bun:ffi";
import { libc } from "./libc.ts";
import { checked, lastErrno, SyscallError } from "./syscall-error.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const PROT_EXEC = 4;
const MAP_PRIVATE = 2;
const MAP_ANONYMOUS = 0x20;
const PAGE_BYTES = 4096;

/** Addresses of C functions that may be signal handlers. */
export interface Handlers {
  /** For a signal that was sent by kill(2), or by the kernel. */
  readonly fromOthers: bigint;
  /** For a signal to one thread, as pthread_kill(3) sends it: si_code is SI_TKILL, sigaction(2). */
  readonly fromThisProcess: bigint;
}

/**
 * Makes a signal handler that hands each signal to one of two others, by how it was sent. It needs
 * SA_SIGINFO. Its page stays for as long as the process lives.
 *
 * @throws SyscallError where no page may be made executable; the runtime's own compiler needs that, too.
 */
export function chainedHandler(handlers: Handlers): bigint {
  const code = handlerCode(process.arch, handlers);
  const protection = PROT_READ | PROT_WRITE;
  const address = libc.mmap(0, PAGE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address < 0) throw new SyscallError("mmap", lastErrno());
  // The address is that of a mapping of exactly this length.
  new Uint8Array(toArrayBuffer(Number(address) as Pointer, 0, PAGE_BYTES)).set(code);
  checked("mprotect", libc.mprotect(Number(address), PAGE_BYTES, PROT_READ | PROT_EXEC));
  return BigInt(address);
}

/**
 * The machine code of a handler(int signal, siginfo_t *info, void *context), which jumps on with its own
 * arguments. Exported for its test.
 *
 * @throws TypeError for an architecture that the runtime does not run on.
 */
export function handlerCode(architecture: string, handlers: Handlers): Uint8Array {
  const others = quad(handlers.fromOthers);
  const own = quad(handlers.fromThisProcess);
  switch (architecture) {
    case "x64":
      return Uint8Array.from([
        ...[0x83, 0x7e, 0x08, 0xfa], // cmpl $SI_TKILL, 8(%rsi)
        ...[0x74, 0x0c], // je 1f
        ...[0x48, 0xb8, ...others], // movabs $others, %rax
        ...[0xff, 0xe0], // jmp *%rax
        ...[0x48, 0xb8, ...own], // 1: movabs $own, %rax
        ...[0xff, 0xe0], // jmp *%rax
      ]);
    case "arm64":
      return Uint8Array.from([
        ...[0x29, 0x08, 0x40, 0xb9], // ldr w9, [x1, #8]
        ...[0x3f, 0x19, 0x00, 0x31], // cmn w9, #-SI_TKILL
        ...[0x60, 0x00, 0x00, 0x54], // b.eq 1f
        ...[0xaa, 0x00, 0x00, 0x58], // ldr x10, others
        ...[0x40, 0x01, 0x1f, 0xd6], // br x10
        ...[0xaa, 0x00, 0x00, 0x58], // 1: ldr x10, own
        ...[0x40, 0x01, 0x1f, 0xd6], // br x10
        ...[0x1f, 0x20, 0x03, 0xd5], // nop
        ...others,
        ...own,
      ]);
    default:
      throw new TypeError(`no signal handler for ${architecture}`);
  }
}

function quad(value: bigint): readonly number[] {
  return [...new Uint8Array(BigUint64Array.of(value).buffer)];
}
