// Has the kernel answer memfd_secret with ENOSYS, as one older than 5.14 does, by a seccomp filter;
// prints the error that comes of it.
import { ptr } from "bun:ffi";
import { libc } from "#native";
import { createSecretMemory, UnsupportedFeatureError } from "../src/index.ts";

const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2;
const RETURN_ENOSYS = 0x0005_0000 + 38;
const RETURN_ALLOW = 0x7fff_0000;

/** A classic BPF instruction: u16 code, u8 jt, u8 jf, u32 k; seccomp(2). */
const program = [
  [0x20, 0, 0, 0],
  [0x15, 0, 1, 447],
  [0x06, 0, 0, RETURN_ENOSYS],
  [0x06, 0, 0, RETURN_ALLOW],
] as const;
const filter = new DataView(new ArrayBuffer(program.length * 8));
for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
  filter.setUint16(index * 8, code, true);
  filter.setUint8(index * 8 + 2, whenTrue);
  filter.setUint8(index * 8 + 3, whenFalse);
  filter.setUint32(index * 8 + 4, operand, true);
}
const instructions = new Uint8Array(filter.buffer);
const descriptor = BigUint64Array.of(BigInt(program.length), BigInt(ptr(instructions)));
// Without CAP_SYS_ADMIN the kernel takes a filter only with it; seccomp(2).
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
if (libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ptr(descriptor), 0, 0) !== 0) {
  throw new Error("seccomp is not available");
}
try {
  createSecretMemory();
} catch (error) {
  if (!(error instanceof UnsupportedFeatureError)) throw error;
  const { name, feature, needs, cause } = error;
  const message = cause instanceof Error ? cause.message : String(cause);
  process.stdout.write(JSON.stringify({ name, feature, needs, cause: message }));
}
