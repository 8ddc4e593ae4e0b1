import { closeDescriptor, openProcess, SyscallError } from "@svc/kernel";

/** A process by its descriptor, which is closed with it. */
export interface AcquiredProcess extends Disposable {
  readonly pidfd: number;
}

/** Opens a descriptor of a process; undefined if the process has ended. @throws SyscallError */
export function acquireProcess(pid: number): AcquiredProcess | undefined {
  try {
    const pidfd = openProcess(pid);
    return { pidfd, [Symbol.dispose]: () => closeDescriptor(pidfd) };
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ESRCH") return undefined;
    throw error;
  }
}
