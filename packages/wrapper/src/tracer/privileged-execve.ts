import { enteredSystemCall, peekWord } from "@svc/kernel";
import { raisesPrivileges } from "../program/privileges.ts";
import type { RegisterLayout } from "./register-layout.ts";

const WORD_BYTES = 8;
const MAX_PATH_BYTES = 4096;
const AT_FDCWD = -100;
const SLASH = "/";

/**
 * True where a traced process stands at the entry of an execve whose file grants privileges, which
 * the kernel would withhold from a traced process.
 */
export function entersPrivilegedProgram(pid: number, layout: RegisterLayout): boolean {
  const call = enteredSystemCall(pid);
  if (call === undefined) return false;
  const [first = 0n, second = 0n] = call.arguments;
  const { execve, execveat } = layout.systemCalls;
  switch (call.number) {
    case execve:
      return raisesPrivileges(pathFor(pid, AT_FDCWD, readPath(pid, first)));
    case execveat: {
      const folder = Number(BigInt.asIntN(32, first));
      return raisesPrivileges(pathFor(pid, folder, readPath(pid, second)));
    }
    default:
      return false;
  }
}

/** A path as this process reaches it: the process's own root and working directory. */
function pathFor(pid: number, folder: number, path: string): Uint8Array {
  const place = `/proc/${pid}`;
  const base = folder === AT_FDCWD ? `${place}/cwd` : `${place}/fd/${folder}`;
  const whole = path.startsWith(SLASH) ? `${place}/root${path}` : `${base}${path && SLASH}${path}`;
  return new TextEncoder().encode(whole);
}

function readPath(pid: number, address: bigint): string {
  const bytes: number[] = [];
  for (let at = Number(address); bytes.length < MAX_PATH_BYTES; at += WORD_BYTES) {
    const word = new Uint8Array(BigUint64Array.of(peekWord(pid, at)).buffer);
    const end = word.indexOf(0);
    bytes.push(...(end < 0 ? word : word.subarray(0, end)));
    if (end >= 0) break;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
