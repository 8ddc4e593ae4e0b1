import {
  cString,
  execProgram,
  resetReservedSignal,
  SyscallError,
  setCloseOnExec,
  setIgnored,
  setParentDeathSignal,
  stringVector,
  writeIfPossible,
} from "@svc/kernel";
import { becomingMessage } from "../courier-report.ts";
import { type Failure, failure, WrapperError } from "../errors.ts";
import type { ReadyDelivery } from "./delivery.ts";
import type { LocatedProgram } from "./locate-program.ts";
import { programEnvironment } from "./program-environment.ts";

const SIGPIPE = 13;

/** Becomes the program by execve. Returns only by throwing. */
export function becomeProgram(ready: ReadyDelivery): never {
  const { choice, region, log, brief } = ready;
  const envp = stringVector(programEnvironment(ready));
  const argv = stringVector(ready.program.words.map(cString));
  log[choice.rung === "env" ? "warn" : "info"](
    choice.rung === "env"
      ? `deliver by env: values are readable in /proc/PID/environ: ${choice.reason}`
      : `deliver by library: ${choice.reason}`,
    { delivery: choice.rung, variables: ready.entries.length, memory: brief.memoryKind },
  );
  for (const fd of brief.inheritedFds) setCloseOnExec(fd, false);
  if (choice.rung === "library") setCloseOnExec(region.fd, false);
  setParentDeathSignal(0);
  restoreSignals(brief.ignoredSignals);
  writeIfPossible(ready.descriptors.report, becomingMessage());
  try {
    return execProgram(ready.program.path, argv, envp);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new WrapperError([execFailure(error, ready.program)], error);
  }
}

/** execve keeps ignored signals ignored and resets the rest; the courier itself ignored SIGPIPE. */
function restoreSignals(ignored: readonly number[]): void {
  resetReservedSignal();
  setIgnored(SIGPIPE, false);
  for (const signal of ignored) setIgnored(signal, true);
}

function execFailure(error: SyscallError, { path }: LocatedProgram): Failure {
  const message = `start ${JSON.stringify(new TextDecoder().decode(path))}: ${error.message}`;
  switch (error.code) {
    case "ENOENT":
      return failure("PROGRAM_NOT_FOUND", `${message}: the interpreter that it names is missing`);
    case "E2BIG":
      return failure("ENVIRONMENT_TOO_LARGE", message);
    default:
      return failure("PROGRAM_NOT_EXECUTABLE", message);
  }
}
