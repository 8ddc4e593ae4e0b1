import { closeDescriptor, openEmptied, SyscallError, writeDescriptor } from "@svc/kernel";
import type { Failure } from "../errors.ts";

// The kubelet reads the last 4096 bytes.
const MAX_BYTES = 4096;

/**
 * Leaves the failures for `kubectl describe pod`, which shows them. Does nothing if the file does
 * not exist or is not a regular file: the kubelet makes it, and nothing else should be written to.
 */
export function writeTerminationLog(path: string, failures: readonly Failure[]): void {
  const lines = failures.map(({ code, message, hint }) =>
    hint === undefined ? `${code}: ${message}` : `${code}: ${message}\nhint: ${hint}`,
  );
  const bytes = new TextEncoder().encode(lines.join("\n")).subarray(0, MAX_BYTES);
  try {
    const fd = openEmptied(path);
    try {
      writeDescriptor(fd, bytes);
    } finally {
      closeDescriptor(fd);
    }
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // Not in Kubernetes, or not writable for this user: the log has said it already.
  }
}
