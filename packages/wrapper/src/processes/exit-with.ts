import { exitProcess } from "@svc/kernel";
import { exitCodeOf, type Failure } from "../errors.ts";
import type { Logger } from "../log.ts";
import { writeTerminationLog } from "./termination-log.ts";

/** Says why the program was not started, also to the kubelet, and ends the wrapper. */
export function exitWith(failures: readonly Failure[], log: Logger, terminationLog: string): never {
  for (const { code, message, hint } of failures) log.error(message, { code, hint });
  writeTerminationLog(terminationLog, failures);
  exitProcess(exitCodeOf(failures));
}
