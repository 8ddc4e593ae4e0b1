import {
  adoptOrphans,
  exitProcess,
  forbidDumps,
  ownChildren,
  SIGTERM,
  writeIfPossible,
} from "@svc/kernel";
import { version } from "@svc/protocol";
import { mustBeFirstProcess, type Problem } from "@svc/settings";
import { canBeUnsealed } from "../can-be-unsealed.ts";
import { runtime } from "../engine/runtime.ts";
import { type Failure, failure, failuresOf } from "../errors.ts";
import { longestStepMs } from "../life/longest-stage.ts";
import { createLogger, type Logger, type LogOptions, writeToStandardError } from "../log.ts";
import { logFormatOf } from "../log-format.ts";
import { startJob } from "../messages/courier-job.ts";
import { Couriers, type WorkingCourier } from "../processes/couriers.ts";
import { exitWith } from "../processes/exit-with.ts";
import { wipeRoleId } from "../processes/hidden-variables.ts";
import type { Degradation } from "../processes/secret-memory.ts";
import type { BornCourier } from "../processes/start-courier.ts";
import type { SecretFiles } from "../secret-files/secret-files.ts";
import type { SettingsResult, WrapperSettings } from "../settings.ts";
import type { Beginning } from "./begin.ts";
import { earlySetting, type SettingSources } from "./early-setting.ts";
import { readSettings } from "./read-settings.ts";
import { tooFewDescriptors } from "./too-few-descriptors.ts";

const DEFAULT_TERMINATION_LOG = "/dev/termination-log";

/**
 * The supervisor's life after its first steps. It holds no token and no secret value at any time.
 */
export async function runSupervisor(beginning: Beginning): Promise<void> {
  const { memory, session, origin, signals } = beginning;
  forbidDumps();
  const adopts = adoptOrphans();
  const settings = await settingsOrExit(beginning);
  const log = loggerOf(settings.log);
  // A program may have started and ended before the rest is loaded, and left processes.
  const strangers = ownChildren()?.filter((pid) => pid !== beginning.first.courier.pid) ?? [];
  guardStart(settings, strangers);
  if (!adopts) log.warn("the kernel keeps no orphans for the wrapper: some may outlive it");
  checkSurroundings(settings, beginning, log);
  const files = await secretFiles(settings, beginning, log);
  const couriers = new Couriers({ origin, settings, session, memory, fileWay: files?.way });
  // The courier waits for its job: the rest is loaded once it has it.
  const first = firstDelivery(beginning, settings, couriers);
  const { environment } = beginning.arrival;
  const { startLifecycle } = await import("./start-lifecycle.ts");
  const parts = { settings, log, couriers, session, signals, environment, first, files };
  try {
    startLifecycle({ ...parts, strangers });
  } catch (error) {
    // The kernel kills a courier without its supervisor.
    exitWith(failuresOf(error), log, settings.terminationLogPath);
  }
}

/** Prepares the place of SVC_FILE_MAP's files; undefined without any. */
async function secretFiles(
  settings: WrapperSettings,
  { first, mounts }: Beginning,
  log: Logger,
): Promise<SecretFiles | undefined> {
  if (mounts === undefined) return undefined;
  const { prepareFiles } = await import("../secret-files/secret-files.ts");
  try {
    return prepareFiles(settings, mounts, log);
  } catch (error) {
    first.courier.abandon();
    return exitWith(failuresOf(error), log, settings.terminationLogPath);
  }
}

/** Has the host end a wrapper that stands still before its life has begun. */
function guardStart(settings: WrapperSettings, strangers: readonly number[]): void {
  const { terminationLogPath, stopSignal, stopGraceMs } = settings;
  runtime.guard.family({
    ...{ strangers, terminationLog: terminationLogPath, graceMs: stopGraceMs },
    stopSignals: [SIGTERM, stopSignal],
  });
  runtime.guard.endAfter(longestStepMs(settings));
}

/** A wrapper without a token has no use yet for the courier that was started ahead. */
function firstDelivery(
  { first, session }: Beginning,
  settings: WrapperSettings,
  couriers: Couriers,
): WorkingCourier | undefined {
  const isSealed = canBeUnsealed(settings, false) && !session.hasToken;
  if (!isSealed) return couriers.send(first, startJob(settings));
  first.courier.abandon();
  return undefined;
}

/** Ends a supervisor that could not take its first steps. */
export function endSupervisor(error: unknown): never {
  return exitWith(failuresOf(error), defaultLog(), DEFAULT_TERMINATION_LOG);
}

/** Most starts only read their settings: the code for other cases is loaded when it is needed. */
async function settingsOrExit(beginning: Beginning): Promise<WrapperSettings> {
  const { commandLine, arrival, session, first } = beginning;
  const result = readSettings(commandLine, arrival.environment, session.hasToken);
  wipeRoleId(arrival.environment);
  if (result.kind !== "settings") first.courier.abandon();
  switch (result.kind) {
    case "settings":
      return checkServerTls(result, first);
    case "help": {
      const { helpText } = await import("../settings/help-text.ts");
      print(helpText());
      return exitProcess(0);
    }
    case "version":
      print(`svc-wrapper ${version}\n`);
      return exitProcess(0);
    case "explain": {
      const { explainDelivery } = await import("./explain-delivery.ts");
      return explainDelivery(result, beginning);
    }
    case "problems":
      return exitWithProblems(result.problems, {
        flags: commandLine.flags,
        environment: arrival.environment,
      });
  }
}

type AcceptedSettings = Extract<SettingsResult, { readonly kind: "settings" }>;

async function checkServerTls(
  { settings, warnings }: AcceptedSettings,
  first: BornCourier,
): Promise<WrapperSettings> {
  const log = loggerOf(settings.log);
  for (const warning of warnings) log.warn(warning);
  const problems = await problemsOfServerTls(settings);
  if (problems.length === 0) return settings;
  first.courier.abandon();
  return exitWith(problems.map(settingsFailure), log, settings.terminationLogPath);
}

async function problemsOfServerTls({ health }: WrapperSettings): Promise<readonly Problem[]> {
  if (health?.tls === undefined) return [];
  const { serverTlsProblems } = await import("../health/server-tls-problems.ts");
  return serverTlsProblems(health.tls, runtime.tlsMaterial);
}

function print(text: string): void {
  writeIfPossible(1, new TextEncoder().encode(text));
}

function exitWithProblems(problems: readonly Problem[], sources: SettingSources): never {
  const path = earlySetting(sources, {
    flag: "--termination-log",
    variable: "SVC_TERMINATION_LOG",
  });
  const format = earlySetting(sources, { flag: "--log-format", variable: "SVC_LOG_FORMAT" });
  const log = loggerOf({
    level: "info",
    format: format === "json" || format === "text" ? format : "auto",
  });
  return exitWith(problems.map(settingsFailure), log, path ?? DEFAULT_TERMINATION_LOG);
}

function settingsFailure({ message, hint }: Problem): Failure {
  return hint === undefined
    ? { code: "SETTINGS_INVALID", message }
    : { code: "SETTINGS_INVALID", message, hint };
}

/** The couriers lock their own memory; this is only the finding from before the settings. */
function checkSurroundings(
  settings: WrapperSettings,
  { memory, session, unlockedToken, first, commandLine }: Beginning,
  log: Logger,
): void {
  const { memory: wanted, terminationLogPath } = settings;
  const { degraded } = memory;
  const refusal =
    missingProtection(wanted, degraded, unlockedToken) ?? tooFewDescriptors(settings, session.fd);
  if (refusal !== undefined) {
    first.courier.abandon();
    exitWith([refusal], log, terminationLogPath);
  }
  warnOfInit(settings, { commandLine }, log);
  for (const message of [degraded?.message, unlockedToken]) {
    if (message !== undefined) log.warn(`degraded: secrets are in ordinary memory: ${message}`);
  }
}

/** Such a program ends at once if it is another process. */
function warnOfInit(
  { supervise, program }: WrapperSettings,
  { commandLine }: Pick<Beginning, "commandLine">,
  log: Logger,
): void {
  const [word] = commandLine.programWords;
  const name = program.kind === "variables" ? program.words[0] : new TextDecoder().decode(word);
  if (supervise === "never" || name === undefined || !mustBeFirstProcess(name)) return;
  log.warn(`${JSON.stringify(name)} may run only as process 1, which the wrapper is`, {
    hint: "with SVC_SUPERVISE=never the wrapper becomes the program",
  });
}

function missingProtection(
  { requireMemfdSecret, requireMlock }: WrapperSettings["memory"],
  degraded: Degradation | undefined,
  unlockedToken: string | undefined,
): Failure | undefined {
  if (degraded?.by === "kernel" && requireMemfdSecret) {
    return failure("MEMFD_SECRET_UNAVAILABLE", degraded.message);
  }
  if (degraded?.by === "limit" && (requireMemfdSecret || requireMlock)) {
    return failure("MEMORY_LOCK_LIMIT", degraded.message);
  }
  return unlockedToken !== undefined && requireMlock
    ? failure("MEMORY_LOCK_LIMIT", unlockedToken)
    : undefined;
}

/** For what happens before there are settings. */
function defaultLog(): Logger {
  return loggerOf({ level: "info", format: "auto" });
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
