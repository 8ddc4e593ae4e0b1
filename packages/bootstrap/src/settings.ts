import {
  type FlagRules,
  nearMisses,
  type Problem,
  parseFlags,
  parseVariables,
  present,
  type Reading as ReadingOf,
} from "@svc/settings";
import type {
  BootstrapSettings,
  OutputFormat,
  ResetSettings,
  StatusSettings,
  UnsealSettings,
} from "./settings/bootstrap-settings.ts";
import {
  readEncryption,
  readHintsRole,
  readReview,
  readRole,
  readShamir,
  readStore,
} from "./settings/read-settings.ts";
import type { Reading } from "./settings/reading.ts";
import {
  bootstrapVariables,
  resetCommandVariables,
  type StatusTable,
  statusVariables,
  unsealVariables,
} from "./settings/variables.ts";

export type {
  BootstrapSettings,
  EncryptionSettings,
  HintsRole,
  OutputFormat,
  PolicyScope,
  ResetSettings,
  ReviewSettings,
  RoleSettings,
  StatusSettings,
  UnsealSettings,
} from "./settings/bootstrap-settings.ts";
export {
  bootstrapVariables,
  resetCommandVariables,
  statusVariables,
  unsealVariables,
} from "./settings/variables.ts";

/** Everything that the settings depend on. */
export interface SettingsInput {
  readonly environment: ReadonlyMap<string, string>;
  /** The words behind the command's name. */
  readonly flags: readonly string[];
}

/** The request of the command line and the environment. */
export type SettingsResult<Settings> =
  | {
      readonly kind: "settings";
      readonly settings: Settings;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "problems";
      readonly problems: readonly Problem[];
      /** How to say so. */
      readonly output: OutputFormat;
    };

/**
 * Parses the settings of `svc secretstore init` and reports every problem at once. It never throws.
 */
export function parseBootstrapSettings(input: SettingsInput): SettingsResult<BootstrapSettings> {
  return parseWith(bootstrapVariables, input, readBootstrap);
}

/**
 * Parses the settings of `svc secretstore unseal` and reports every problem at once. It never
 * throws.
 */
export function parseUnsealSettings(input: SettingsInput): SettingsResult<UnsealSettings> {
  return parseWith(unsealVariables, input, (reading) => {
    const store = readStore(reading);
    return store && { ...store, sharesStdin: reading.values.sharesStdin ?? false };
  });
}

/**
 * Parses the settings of `svc secretstore reset` and reports every problem at once. It never
 * throws.
 */
export function parseResetSettings(input: SettingsInput): SettingsResult<ResetSettings> {
  return parseWith(resetCommandVariables, input, (reading) => {
    const store = readStore(reading);
    const { dataClaim, settleMs, delete: isTold = false } = reading.values;
    return store && { ...store, dataClaim, settleMs, delete: isTold };
  });
}

/**
 * Parses the settings of `svc secretstore status` and reports every problem at once. It never
 * throws.
 */
export function parseStatusSettings(input: SettingsInput): SettingsResult<StatusSettings> {
  return parseWith(statusVariables, input, readStore);
}

/** `read` applies the rules between variables; all of them, so that all problems show at once. */
function parseWith<Table extends StatusTable, Settings>(
  table: Table,
  input: SettingsInput,
  read: (reading: ReadingOf<Table>) => Settings | undefined,
): SettingsResult<Settings> {
  const flags = parseFlags(input.flags, { table, refused: refusedFlags, strayHint });
  if (flags.asked !== undefined) return { kind: flags.asked };
  const { environment } = input;
  const parsed = parseVariables(table, { environment, flags: flags.values });
  const reading: ReadingOf<Table> = {
    ...parsed,
    problems: [...flags.problems, ...parsed.problems],
    // Compares with the variables of all commands: a pod may have the variables of one and run
    // another.
    warnings: [...nearMisses(environment.keys(), { table: bootstrapVariables, prefixes })],
  };
  const settings = read(reading);
  if (settings === undefined || reading.problems.length > 0) {
    const output = flags.values.get("output") === "json" ? "json" : "text";
    return { kind: "problems", problems: reading.problems, output };
  }
  return { kind: "settings", settings, warnings: reading.warnings };
}

const prefixes = ["STORE_", "BOOTSTRAP_", "VAULT_"];

function readBootstrap(reading: Reading): BootstrapSettings | undefined {
  const store = readStore(reading);
  const shamir = readShamir(reading);
  const encryption = readEncryption(reading);
  const role = readRole(reading);
  const hints = readHintsRole(reading);
  const review = readReview(reading);
  if (store === undefined) return undefined;
  const { kvPath, authPath, policyName, policyScope, ...values } = reading.values;
  const { revokeRoot, resetUnfinished, dataClaim, settleMs } = values;
  if (revokeRoot) {
    reading.warnings.push(
      "BOOTSTRAP_REVOKE_ROOT: make sure that another account may administer the store: OpenBao from 2.5.3 on makes no new root token from key shares alone",
    );
  }
  const { dryRun = false, tokenStdin = false } = values;
  const access = { kvPath, authPath, policyName, policyScope, role, ...present({ hints }) };
  const run = { revokeRoot, resetUnfinished, dataClaim, settleMs, dryRun, tokenStdin };
  return { ...store, shamir, encryption, ...access, review, ...run };
}

const strayHint = "every option begins with --";

const noSecret = {
  wanted: "left out",
  hint: "every user of the machine can read a command line. Use the output Secret or standard input",
};

/** Flags that people will try and that must not exist. */
const refusedFlags: FlagRules["refused"] = new Map([
  ["root-token", noSecret],
  ["token", noSecret],
  ["unseal-key", noSecret],
  ["key", noSecret],
  ["share", noSecret],
  [
    "shares",
    { wanted: "left out", hint: "it is --shamir-shares; shares themselves go to --shares-stdin" },
  ],
]);
