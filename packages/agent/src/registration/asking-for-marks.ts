import { SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";

/**
 * Reads or writes marks of processes.
 *
 * @param marked for people: `a process`, `the wrapper`
 * @throws AgentError `REGISTRATION_FAILED` if the kernel refuses
 */
export function askingForMarks<T>(marked: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new AgentError("REGISTRATION_FAILED", `mark ${marked}: ${error.message}`, error);
  }
}
