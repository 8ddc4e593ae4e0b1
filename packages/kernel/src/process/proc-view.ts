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
  | { readonly kind: "foreign"; readonly shownAs: string };

/** Tells which processes /proc shows; pid_namespaces(7), "/proc and PID namespaces". */
export function viewOfProc(): ProcView {
  try {
    const shownAs = readLink("/proc/self");
    return shownAs === String(processId()) ? { kind: "own" } : { kind: "foreign", shownAs };
  } catch (error) {
    if (error instanceof SyscallError) return { kind: "missing" };
    throw error;
  }
}

/** Tells a process's pid in this PID namespace by its number in /proc; undefined if it has none. */
export type PidOfNumber = (number: number) => number | undefined;

/**
 * Reads the pids that a foreign /proc shows by other numbers; proc_pid_status(5), `NSpid`, which
 * has one number for each namespace from that of /proc on.
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
    if (error instanceof SyscallError) return [];
    throw error;
  }
}
