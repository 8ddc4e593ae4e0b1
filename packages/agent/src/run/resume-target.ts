import { readFileSync } from "node:fs";
import {
  closeDescriptor,
  openProcess,
  SIGCONT,
  SyscallError,
  signalProcess,
  statField,
} from "@svc/kernel";
import type { AuditEvent, EventTarget } from "../events/audit-event.ts";
import { isGone } from "../registration/process-facts.ts";

// SIGSTOP, SIGTSTP, SIGTTIN and SIGTTOU of signal(7).
const stopSignals: readonly number[] = [19, 20, 21, 22];
/** How long its tracer may take to end. */
const TRIES = 50;
const PAUSE_MS = 20;
/** Clock ticks of /proc in a second. */
const TICKS = 100n;

/**
 * A tracer that is killed when it attaches leaves its target stopped, for the SIGSTOP of
 * PTRACE_ATTACH is on its way by then (ptrace(2)). So does a process that stops a wrapper. A
 * registered target continues.
 */
export async function resumeTarget(event: AuditEvent): Promise<void> {
  if (!mayStop(event) || event.decision !== "killed") return;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (resume(event.target)) return;
    await Bun.sleep(PAUSE_MS);
  }
}

function mayStop(event: AuditEvent): event is AuditEvent & { readonly target: EventTarget } {
  return (
    event.kind === "ptrace" || (event.kind === "core_signal" && stopSignals.includes(event.signal))
  );
}

/** False if it is to be looked at again. */
function resume({ pid, startNs }: EventTarget): boolean {
  let pidfd: number | undefined;
  try {
    pidfd = openProcess(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, started] = [statField(stat, 3), BigInt(statField(stat, 22) ?? 0)];
    if (started !== (startNs * TICKS) / 1_000_000_000n) return true;
    if (state !== "T") return false;
    signalProcess(pidfd, SIGCONT);
    return true;
  } catch (error) {
    if (isGone(error) || error instanceof SyscallError) return true;
    throw error;
  } finally {
    if (pidfd !== undefined) closeDescriptor(pidfd);
  }
}
