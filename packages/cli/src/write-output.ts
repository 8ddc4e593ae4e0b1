import { SyscallError, writeDescriptor } from "@svc/kernel";

/** Where a command writes. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Standard output and standard error. What is written is out when a call returns: the process may end right after. */
export const standardOutput: CommandOutput = {
  out: (text) => write(1, text),
  err: (text) => write(2, text),
};

/** Whoever does not listen any more, or a full disk, must not end what is going on. */
function write(fd: number, text: string): void {
  try {
    writeDescriptor(fd, new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
  }
}
