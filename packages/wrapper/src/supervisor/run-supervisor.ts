import { writeSync } from "node:fs";
import { adoptOrphans, forbidDumps, lockAllMemory, SyscallError } from "@svc/kernel";
import type { Problem } from "@svc/settings";
import { type Failure, failure, failuresOf } from "../errors.ts";
import { createLogger, type Logger, type LogOptions, writeToStandardError } from "../log.ts";
import { logFormatOf } from "../log-format.ts";
import { helpText, type WrapperSettings } from "../settings.ts";
import { version } from "../version.ts";
import { arrive } from "./arrival.ts";
import { exitWith } from "./exit-with.ts";
import { type CommandLine, cutCommandLine, readSettings } from "./read-command-line.ts";
import { openRegions, type Regions } from "./regions.ts";
import { runProgram } from "./run-program.ts";
import { type Courier, startCourier } from "./start-courier.ts";
import { takeToken } from "./take-token.ts";

const DEFAULT_TERMINATION_LOG = "/dev/termination-log";

/** The supervisor's life. It holds no token and no secret value at any time. */
export function runSupervisor(words: readonly Uint8Array[]): void {
  try {
    const arrival = arrive(words);
    const regions = openRegions();
    const tokenLength = takeToken(arrival.environment, regions.token);
    const commandLine = cutCommandLine(words);
    const courier = startCourier(arrival, regions, commandLine.programWords);
    forbidDumps();
    adoptOrphans();
    const settings = settingsOrExit(commandLine, arrival.environment, tokenLength > 0, courier);
    const log = loggerOf(settings.log);
    checkProtection(settings, regions, log, courier);
    courier.brief({
      settings,
      tokenLength,
      memoryKind: regions.secrets.kind,
      ignoredSignals: arrival.ignoredSignals,
      supervisorPid: process.pid,
    });
    void runProgram({ settings, courier, regions, log });
  } catch (error) {
    exitWith(
      failuresOf(error),
      loggerOf({ level: "info", format: "auto" }),
      DEFAULT_TERMINATION_LOG,
    );
  }
}

function settingsOrExit(
  commandLine: CommandLine,
  environment: Parameters<typeof readSettings>[1],
  tokenPresent: boolean,
  courier: Courier,
): WrapperSettings {
  const result = readSettings(commandLine, environment, tokenPresent);
  if (result.kind === "settings") {
    const log = loggerOf(result.settings.log);
    for (const warning of result.warnings) log.warn(warning);
    return result.settings;
  }
  courier.abandon();
  switch (result.kind) {
    case "help":
      writeSync(1, helpText());
      return process.exit(0);
    case "version":
      writeSync(1, `svc-wrapper ${version}\n`);
      return process.exit(0);
    case "problems": {
      const log = loggerOf({ level: "info", format: "auto" });
      return exitWith(result.problems.map(settingsFailure), log, DEFAULT_TERMINATION_LOG);
    }
  }
}

function settingsFailure({ message, hint }: Problem): Failure {
  return hint === undefined
    ? { code: "SETTINGS_INVALID", message }
    : { code: "SETTINGS_INVALID", message, hint };
}

function checkProtection(
  { memory, terminationLogPath }: WrapperSettings,
  { degraded }: Regions,
  log: Logger,
  courier: Courier,
): void {
  const failures: Failure[] = [];
  if (degraded !== undefined && memory.requireMemfdSecret) {
    failures.push(failure("MEMFD_SECRET_UNAVAILABLE", degraded.message));
  } else if (degraded !== undefined) {
    log.warn(`degraded: secrets are in locked ordinary memory: ${degraded.message}`);
  }
  try {
    lockAllMemory();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // Without CAP_IPC_LOCK a process of this size is over RLIMIT_MEMLOCK; it holds no secret.
    if (memory.requireMlock)
      failures.push(failure("MLOCK_FAILED", `lock memory: ${error.message}`));
  }
  if (failures.length === 0) return;
  courier.abandon();
  exitWith(failures, log, terminationLogPath);
}

function loggerOf({ level, format }: WrapperSettings["log"]): Logger {
  const options: LogOptions = {
    level,
    format: logFormatOf(format),
    component: "supervisor",
    write: writeToStandardError,
    now: () => new Date(),
  };
  return createLogger(options);
}
