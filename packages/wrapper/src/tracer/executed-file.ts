import { fileOwnership, peekWord, readRegisters, SyscallError } from "@svc/kernel";
import { executedPathAddress, readInitialStack } from "./initial-stack.ts";
import { reachablePath } from "./reachable-path.ts";
import { readCString } from "./read-c-string.ts";
import { type RegisterLayout, readRegister } from "./register-layout.ts";

/**
 * The file that a process which stands in the exec event executes, as this process reaches it.
 * Undefined if it cannot be told: the program is for another architecture, has 32 bits, or its
 * memory is closed to its tracer.
 */
export function executedFile(pid: number, layout: RegisterLayout): Uint8Array | undefined {
  const link = new TextEncoder().encode(`/proc/${pid}/exe`);
  if (fileOwnership(link) !== undefined) return link;
  // The process has changed its user, and its links are closed to this process.
  try {
    return executedPath(pid, layout);
  } catch (error) {
    if (error instanceof SyscallError && error.code === "EIO") return undefined;
    throw error;
  }
}

function executedPath(pid: number, layout: RegisterLayout): Uint8Array | undefined {
  const registers = readRegisters(pid);
  if (registers.length !== layout.lengthBytes) return undefined;
  const readWord = (address: number) => peekWord(pid, address);
  const stack = Number(readRegister(registers, layout.stackPointer));
  const path = executedPathAddress(readInitialStack(stack, readWord));
  return path === undefined ? undefined : reachablePath(pid, readCString(path, readWord));
}
