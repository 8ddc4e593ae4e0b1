import { type EnteredSystemCall, enteredSystemCall, peekWord, SyscallError } from "@svc/kernel";
import { raisesPrivileges } from "../program/privileges.ts";
import { reachablePath } from "./reachable-path.ts";
import { readCString } from "./read-c-string.ts";
import type { RegisterLayout } from "./register-layout.ts";

const AT_FDCWD = -100;
const SLASH = "/";

/**
 * True where a traced process stands at the entry of an execve whose file grants privileges, which
 * the kernel would withhold from a traced process.
 */
export function entersPrivilegedProgram(pid: number, layout: RegisterLayout): boolean {
  const call = enteredSystemCall(pid);
  if (call === undefined) return false;
  const { execve, execveat } = layout.systemCalls;
  if (call.number !== execve && call.number !== execveat) return false;
  try {
    return raisesPrivileges(executedPath(pid, call, call.number === execveat), pid);
  } catch (error) {
    // A process that has changed its user is closed to a tracer without CAP_SYS_PTRACE until its execve.
    if (error instanceof SyscallError && error.code === "EIO") return false;
    throw error;
  }
}

function executedPath(pid: number, call: EnteredSystemCall, at: boolean): Uint8Array {
  const [first = 0n, second = 0n] = call.arguments;
  const path = readCString(Number(at ? second : first), (address) => peekWord(pid, address));
  const folder = at ? Number(BigInt.asIntN(32, first)) : AT_FDCWD;
  if (path.startsWith(SLASH) || folder === AT_FDCWD) return reachablePath(pid, path);
  return new TextEncoder().encode(`/proc/${pid}/fd/${folder}${path && SLASH}${path}`);
}
