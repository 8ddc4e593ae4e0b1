import { SecretBytes as HostSecret, hmacSha256 } from "svc:engine";
import { asSyscallError } from "@svc/kernel";
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
    throw asSyscallError(error);
  }
}
