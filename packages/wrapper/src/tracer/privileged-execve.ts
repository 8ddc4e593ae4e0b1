import { type EnteredSystemCall, enteredSystemCall, peekWord, SyscallError } from "@svc/kernel";
import { raisesPrivileges } from "../program/privileges.ts";
import { executedFile } from "./executed-file.ts";
import { executedPathAddress, readInitialStack } from "./initial-stack.ts";
import { reachablePath } from "./reachable-path.ts";
import { readCString } from "./read-c-string.ts";
import type { RegisterLayout } from "./register-layout.ts";
import { StoppedProgram } from "./stopped-program.ts";

const AT_FDCWD = -100;
const WORD_BYTES = 8;
const SLASH = "/";

/**
 * True if a traced process stands at the entry of an execve whose file grants privileges, which
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
    // A process that has changed its user is closed to a tracer without CAP_SYS_PTRACE until its
    // execve.
    if (error instanceof SyscallError && error.code === "EIO") return false;
    throw error;
  }
}

/**
 * Lets a program whose file grants privileges execute itself again, if it stands in the exec
 * event: its tracer has to release it then. False if it stands unchanged, because its file grants
 * none.
 */
export function executeAgainUntraced(pid: number, layout: RegisterLayout): boolean {
  const file = executedFile(pid, layout);
  if (file === undefined || !raisesPrivileges(file, pid)) return false;
  const program = StoppedProgram.atExecEvent(pid, layout);
  if (program === undefined) return false;
  const stack = readInitialStack(program.stackPointer, (address) => program.readWord(address));
  const path = executedPathAddress(stack);
  if (path === undefined) {
    program.letBe();
    return false;
  }
  const argv = program.stackPointer + WORD_BYTES;
  program.executeAgain({ path, argv, envp: stack.slotsAddress });
  return true;
}

function executedPath(pid: number, call: EnteredSystemCall, at: boolean): Uint8Array {
  const [first = 0n, second = 0n] = call.arguments;
  const path = readCString(Number(at ? second : first), (address) => peekWord(pid, address));
  const folder = at ? Number(BigInt.asIntN(32, first)) : AT_FDCWD;
  if (path.startsWith(SLASH) || folder === AT_FDCWD) return reachablePath(pid, path);
  return new TextEncoder().encode(`/proc/${pid}/fd/${folder}${path && SLASH}${path}`);
}
