import type { Failure } from "../errors.ts";

// The kubelet reads the last 4096 bytes.
const MAX_BYTES = 4096;

/**
 * Leaves the failures where `kubectl describe pod` shows them. Does nothing where the file does not
 * exist or is no regular file: the kubelet makes it, and nothing else should be written to.
 */
export function writeTerminationLog(path: string, failures: readonly Failure[]): void {
  const lines = failures.map(({ code, message, hint }) =>
    hint === undefined ? `${code}: ${message}` : `${code}: ${message}\nhint: ${hint}`,
  );
  const bytes = new TextEncoder().encode(lines.join("\n")).subarray(0, MAX_BYTES);
  // Loaded here and not at the top: node:fs costs every start 0.9 ms, and this is the last moment.
  const { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } =
    process.getBuiltinModule("node:fs");
  try {
    const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const fd = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (!fstatSync(fd).isFile()) return;
      ftruncateSync(fd);
      writeSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not in Kubernetes, or not writable for this user: the log has said it already.
  }
}
