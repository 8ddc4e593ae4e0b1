import { SecretBytes as HostSecret, hmacSha256 } from "svc:engine";
import { SyscallError } from "@svc/kernel";
import type { SecretBackend, SecretBytes } from "../secret-bytes.ts";

/** Secrets in locked memory of the host. */
export const backend: SecretBackend = {
  secretBytesFrom: (bytes) => HostSecret.from(bytes),
  readSecretFile: (path, limit) => readFile(path, limit),
  hmacSha256,
};

function readFile(path: string, limit: number): SecretBytes {
  try {
    return HostSecret.read(path, limit);
  } catch (error) {
    if (!isHostFailure(error)) throw error;
    throw new SyscallError(error.syscall, error.errno);
  }
}

/** What the host throws where the kernel refused a call. */
interface HostFailure extends Error {
  readonly syscall: string;
  readonly errno: number;
}

function isHostFailure(error: unknown): error is HostFailure {
  return (
    error instanceof Error &&
    "syscall" in error &&
    typeof error.syscall === "string" &&
    "errno" in error &&
    typeof error.errno === "number"
  );
}
