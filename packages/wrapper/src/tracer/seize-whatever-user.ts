import { actAs, processStatus, SyscallError, seizeProcess, type TraceScope } from "@svc/kernel";

/**
 * Becomes the tracer of a thread, of another user's, too. The kernel compares the real user and
 * group of the tracer (PTRACE_MODE_REALCREDS of ptrace(2)): a supervisor with CAP_SETUID and
 * CAP_SETGID takes those of the thread for that one call.
 *
 * @throws SyscallError as seizeProcess.
 */
export function seizeWhateverUser(tid: number, scope: TraceScope): void {
  try {
    seizeProcess(tid, scope);
  } catch (error) {
    if (!(error instanceof SyscallError) || error.code !== "EPERM") throw error;
    const status = processStatus(tid);
    const [user, group] = [oneId(status.get("Uid")), oneId(status.get("Gid"))];
    if (user === undefined || group === undefined) throw error;
    actAs(user, group, () => seizeProcess(tid, scope));
  }
}

/** Real, effective and saved, if they are one: the kernel wants all three. */
function oneId(line: string | undefined): number | undefined {
  const [real, effective, saved] = (line ?? "").split("\t");
  return real !== undefined && real === effective && real === saved ? Number(real) : undefined;
}
