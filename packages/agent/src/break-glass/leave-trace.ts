import { appendFileSync } from "node:fs";

/** The process that asks for break-glass. */
export interface BreakGlassCaller {
  readonly pid: number;
  readonly uid: number;
  /** As the process calls itself. */
  readonly name: string;
  readonly executable?: string;
}

/** A warning in the kernel's log (kmsg(4)), which is kept by others than the agent; nothing where there is none. */
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
