import { appendFileSync } from "node:fs";

/** The process that asks for break-glass. */
export interface BreakGlassCaller {
  readonly pid: number;
  readonly uid: number;
  /** As the process calls itself. */
  readonly name: string;
  readonly executable?: string;
}

/**
 * Writes a warning into the kernel's log (kmsg(4)), which other programs keep. Does nothing without
 * that log.
 */
export function leaveTrace(
  asked: string,
  reason: string,
  { pid, uid, name }: BreakGlassCaller,
): void {
  const words = JSON.stringify(reason);
  const line = `<4>svc-agent: break-glass ${asked} by pid ${pid} (${printable(name)}), uid ${uid}: ${words}`;
  try {
    appendFileSync("/dev/kmsg", `${line}\n`);
  } catch {
    // A container without that device: the audit event is there.
  }
}

function printable(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, "?");
}
