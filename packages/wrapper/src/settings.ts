import {
  type FileMapping,
  nearMisses,
  type Problem,
  parseFlags,
  parseVariables,
  present,
} from "@svc/settings";
import { areOnlyFiles } from "./settings/file-map.ts";
import { checkHandOver, readRotation } from "./settings/hand-over.ts";
import { readHints } from "./settings/read-hints.ts";
import { readPermits } from "./settings/read-permits.ts";
import {
  readAgent,
  readHealth,
  readPassEnvironment,
  readProgram,
  readReadinessProbe,
  readStopSignal,
} from "./settings/read-settings.ts";
import { readVault } from "./settings/read-vault.ts";
import type { Reading, WrapperKey } from "./settings/reading.ts";
import { readSecrets } from "./settings/secrets.ts";
import { refusedFlags, wrapperVariables } from "./settings/variables.ts";
import type { ProgramSettings, WrapperSettings } from "./settings/wrapper-settings.ts";
import { wrapperPrefixes } from "./settings/wrapper-variable.ts";

export { wrapperVariables } from "./settings/variables.ts";
export type { TokenSource, VaultAuth } from "./settings/vault-auth.ts";
export type {
  AgentSettings,
  AskedProgram,
  HealthSettings,
  ProgramSettings,
  RestartSettings,
  RotationSettings,
  SecretMapping,
  SecretSettings,
  SecretSource,
  SoleMapping,
  VaultSettings,
  WrapperSettings,
} from "./settings/wrapper-settings.ts";
export {
  isReservedVariable,
  isWrapperVariable,
  resemblesWrapperVariable,
} from "./settings/wrapper-variable.ts";

/** Everything that the settings depend on. */
export interface SettingsInput {
  /** The environment. The value of VAULT_TOKEN, if it is still there, is not looked at. */
  readonly environment: ReadonlyMap<string, string>;
  /** The words before `--`. */
  readonly flags: readonly string[];
  /** The words after `--`; empty if there are none. */
  readonly program: readonly string[];
  /** True when VAULT_TOKEN is set and not empty. */
  readonly tokenPresent: boolean;
}

/** The request of the command line and the environment. */
export type SettingsResult =
  | {
      readonly kind: "settings";
      readonly settings: WrapperSettings;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** How the program would be started is to be said, and nothing to be done. */
  | {
      readonly kind: "explain";
      readonly delivery: WrapperSettings["delivery"];
      readonly follow: WrapperSettings["follow"];
      readonly supervise: WrapperSettings["supervise"];
      readonly program: ProgramSettings;
      readonly onlyFiles: boolean;
      readonly files: readonly FileMapping[];
    }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Parses the settings of the wrapper and reports every problem at once. It never throws. */
export function parseSettings(input: SettingsInput): SettingsResult {
  const flags = parseFlags(input.flags, { table: wrapperVariables, refused: refusedFlags });
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(wrapperVariables, {
    environment: input.environment,
    flags: flags.values,
    ignored: overridden(input),
  });
  const reading: Reading = {
    ...parsed,
    problems: [...flags.problems, ...parsed.problems],
    warnings: [...environmentWarnings(input)],
  };
  if (reading.values.explain === true) return explanation(reading, input);
  const settings = assemble(reading, input);
  if (settings === undefined || reading.problems.length > 0) {
    return { kind: "problems", problems: reading.problems };
  }
  return { kind: "settings", settings, warnings: reading.warnings };
}

/** Only the inputs of an explanation must be valid. */
function explanation(reading: Reading, input: SettingsInput): SettingsResult {
  const program = readProgram(reading, input.program);
  const problems = reading.problems.filter(({ variable }) => explained.has(variable));
  const { delivery, follow, supervise } = reading.values;
  checkHandOver(reading);
  if (program === undefined || problems.length > 0) return { kind: "problems", problems };
  const files = (reading.values.fileMap ?? []).flat();
  const onlyFiles = areOnlyFiles(reading);
  return { kind: "explain", delivery, follow, supervise, program, onlyFiles, files };
}

const explained: ReadonlySet<string> = new Set([
  ...["SVC_DELIVERY", "SVC_FOLLOW", "SVC_ORIGINAL_CMD", "SVC_ORIGINAL_ARGS"],
  "SVC_FILE_MAP",
]);

/** A program after `--` takes precedence over both variables, even if they are invalid. */
function overridden({ program }: SettingsInput): ReadonlySet<WrapperKey> {
  return new Set(program.length > 0 ? ["originalCommand", "originalArguments"] : []);
}

function environmentWarnings({ environment }: SettingsInput): readonly string[] {
  const misspelt = nearMisses(environment.keys(), {
    table: wrapperVariables,
    prefixes: wrapperPrefixes,
  });
  if (!environment.has("SVC_SECRET_FD")) return misspelt;
  return [...misspelt, "SVC_SECRET_FD: has no effect: the wrapper sets it for the program"];
}

/** Applies the rules between variables. All of them run, so that all problems show at once. */
function assemble(reading: Reading, input: SettingsInput): WrapperSettings | undefined {
  const { values } = reading;
  const vault = readVault(reading, input);
  const secrets = readSecrets(reading);
  const program = readProgram(reading, input.program);
  const health = readHealth(reading, vault?.auth);
  const agent = readAgent(reading);
  const passEnv = readPassEnvironment(reading);
  const stopSignal = readStopSignal(reading);
  const permits = readPermits(reading);
  const hints = readHints(reading, vault);
  checkHandOver(reading);
  const onlyFiles = areOnlyFiles(reading);
  if (secrets === undefined || program === undefined) return undefined;
  return {
    ...present({ vault }),
    secrets,
    program,
    rotation: {
      mode: readRotation(reading, onlyFiles),
      renewalIntervalMs: values.renewalIntervalMs,
      debounceMs: values.rotationDebounceMs,
      splayMs: values.rotationSplayMs,
      minIntervalMs: values.rotationMinIntervalMs,
      staleAfterMs: values.staleAfterMs,
      by: values.rotationBy,
      drainMs: values.rotationDrainMs,
      ...present({ permits, hints, refreshPath: values.refreshPath }),
    },
    restart: { policy: values.restartPolicy, maxDelayMs: values.restartMaxDelayMs },
    agent,
    ...present({ health, readinessProbe: readReadinessProbe(reading) }),
    showPaths: values.showPaths,
    memory: {
      requireMlock: values.requireMlock,
      requireMemfdSecret: values.requireMemfdSecret,
    },
    delivery: values.delivery,
    ...(onlyFiles && { onlyFiles }),
    follow: values.follow,
    passEnv,
    stopGraceMs: values.stopGraceMs,
    stopSignal,
    supervise: values.supervise,
    ...present({ parentPid: values.parentPid }),
    startDeadlineMs: values.startDeadlineMs,
    log: { level: values.logLevel, format: values.logFormat },
    terminationLogPath: values.terminationLogPath,
  };
}
