import { SecretBytes as HostSecret, hmacSha256 } from "svc:engine";
import { asSyscallError } from "@svc/kernel";
import type { SecretBackend, SecretBytes } from "../secret-bytes.ts";

/** Secrets in locked memory of the host. */
export const backend: SecretBackend = {
  secretBytesFrom: (bytes) => HostSecret.from(bytes),
  readSecretFile: (path, limit) => reading(() => HostSecret.read(path, limit)),
  readSecretDescriptor: (fd, limit) => reading(() => HostSecret.readDescriptor(fd, limit)),
  hmacSha256,
};

function reading(read: () => SecretBytes): SecretBytes {
  try {
    return read();
  } catch (error) {
    throw asSyscallError(error);
  }
}
