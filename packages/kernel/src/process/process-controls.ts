import { addressOf, libc, processId } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { SIGSTOP } from "../signals/signal-numbers.ts";

const PR_SET_PDEATHSIG = 1;
const PR_GET_DUMPABLE = 3;
const PR_SET_DUMPABLE = 4;
const PR_SET_NAME = 15;
const PR_SET_CHILD_SUBREAPER = 36;

/**
 * No core dump, and no /proc/PID/mem or ptrace for processes without CAP_SYS_PTRACE.
 * execve makes the process dumpable again; PR_SET_DUMPABLE(2const).
 */
export function forbidDumps(): void {
  checked("prctl", libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

/** Allows both again; PR_SET_DUMPABLE(2const). */
export function allowDumps(): void {
  checked("prctl", libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

/** Reports whether this process is dumpable; PR_GET_DUMPABLE(2const). */
export function isDumpable(): boolean {
  return checked("prctl", libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)) !== 0;
}

/**
 * Orphaned descendants become children of this process; PR_SET_CHILD_SUBREAPER(2const). False if
 * the kernel does not offer it: qemu-user does not.
 */
export function adoptOrphans(adopts = true): boolean {
  return libc.prctl(PR_SET_CHILD_SUBREAPER, adopts ? 1 : 0, 0, 0, 0) === 0;
}

/** The signal that this process gets when its parent dies; 0 for none; PR_SET_PDEATHSIG(2const). */
export function setParentDeathSignal(signal: number): void {
  checked("prctl", libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0));
}

/** The name that /proc/PID/comm and `ps -e` show, at most 15 bytes; PR_SET_NAME(2const). */
export function setProcessName(name: string): void {
  // By a name: the engine frees an array when its last reference goes.
  const bytes = cString(name);
  checked("prctl", libc.prctl(PR_SET_NAME, addressOf(bytes), 0, 0, 0));
}

/** This process's pid; getpid(2). A seccomp filter may refuse even that. */
export function ownPid(): number {
  const pid = processId();
  if (pid < 0) throw new SyscallError("getpid", -pid);
  return pid;
}

/** The pid of the parent as it is now: another process adopts whose parent has died; getppid(2). */
export function parentPid(): number {
  // The C library takes it for a call that cannot fail, and returns a refusal as it is.
  const pid = libc.getppid();
  if (pid < 0) throw new SyscallError("getppid", -pid);
  return pid;
}

/** Stops this thread until its tracer, or SIGCONT, lets it run on; raise(3) with SIGSTOP. */
export function stopSelf(): void {
  checked("raise", libc.raise(SIGSTOP));
}
