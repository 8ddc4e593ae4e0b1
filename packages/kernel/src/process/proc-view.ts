import { processId } from "#native";
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
