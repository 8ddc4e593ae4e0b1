import { SyscallError, writeDescriptor } from "@svc/kernel";
import { CliError } from "./errors.ts";

/** Where a command writes. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Standard output and standard error. A text is written when a call returns: the process may end
 * right after.
 */
export const standardOutput: CommandOutput = {
  out: (text) => write(1, text),
  err: (text) => write(2, text),
};

/** The same for a command whose output is all that it is run for: a failed write ends it. */
export const neededOutput: CommandOutput = {
  out: (text) => {
    try {
      writeDescriptor(1, new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      throw new CliError("OUTPUT_UNWRITABLE", [`write standard output: ${error.code}`], error);
    }
  },
  err: standardOutput.err,
};

/** A closed reader or a full disk must not end the running command. */
function write(fd: number, text: string): void {
  try {
    writeDescriptor(fd, new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
  }
}
