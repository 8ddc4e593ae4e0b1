import { processId } from "#native";
import { processStatus } from "../files/file-ownership.ts";
import { readLink } from "../files/files.ts";
import { SyscallError } from "../libc/syscall-error.ts";

/** The processes that /proc shows, seen from this one. */
export type ProcView =
  /** Those of its own PID namespace, by the pids that it knows. */
  | { readonly kind: "own" }
  /** None: it is not mounted, or is that of a namespace without this process. */
  | { readonly kind: "missing" }
  /** Those of an outer PID namespace, in which this process has another pid. */
  | { readonly kind: "foreign"; readonly shownAs: string }
  /** The kernel does not tell: no memory or descriptor was left for the answer, or it refuses. */
  | { readonly kind: "untold"; readonly error: SyscallError };

/** Tells which processes /proc shows; pid_namespaces(7), "/proc and PID namespaces". */
export function viewOfProc(): ProcView {
  try {
    const shownAs = readLink("/proc/self");
    return shownAs === String(processId()) ? { kind: "own" } : { kind: "foreign", shownAs };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return isAbsent(error) ? { kind: "missing" } : { kind: "untold", error };
  }
}

/** /proc has no such file: it is not mounted, or the process has ended. */
export function isAbsent({ code }: SyscallError): boolean {
  return code === "ENOENT" || code === "ENOTDIR" || code === "ESRCH";
}

/**
 * Tells a process's pid in this PID namespace by its number in /proc; undefined if it has none.
 *
 * @throws SyscallError if the kernel does not tell.
 */
export type PidOfNumber = (number: number) => number | undefined;

/**
 * Reads the pids that a foreign /proc shows by other numbers; proc_pid_status(5), `NSpid`, which
 * has one number for each namespace from that of /proc on.
 *
 * @throws SyscallError if the kernel does not tell those of this process.
 */
export function pidReader(): PidOfNumber {
  const level = numbersOf("self").length - 1;
  return (number) => numbersOf(number)[level];
}

/** Empty for a process that has ended, and before Linux 4.1. */
function numbersOf(process: number | "self"): readonly number[] {
  try {
    return processStatus(process).get("NSpid")?.split("\t").map(Number) ?? [];
  } catch (error) {
    if (error instanceof SyscallError && isAbsent(error)) return [];
    throw error;
  }
}
