import {
  type FlagRules,
  nearMisses,
  type Problem,
  parseFlags,
  parseVariables,
} from "@svc/settings";
import type { BootstrapSettings } from "./settings/bootstrap-settings.ts";
import { readEncryption } from "./settings/encryption.ts";
import type { Reading } from "./settings/reading.ts";
import { readRole } from "./settings/role.ts";
import { readShamir } from "./settings/shamir.ts";
import { readStoreTls } from "./settings/store-tls.ts";
import { bootstrapVariables } from "./settings/variables.ts";

export type {
  BootstrapSettings,
  EncryptionSettings,
  RoleSettings,
  StoreTls,
} from "./settings/bootstrap-settings.ts";
export { bootstrapVariables } from "./settings/variables.ts";

/** Everything that the settings depend on. */
export interface BootstrapInput {
  readonly environment: ReadonlyMap<string, string>;
  /** The words behind `svc secretstore init`. */
  readonly flags: readonly string[];
}

/** What the command line and the environment ask for. */
export type BootstrapSettingsResult =
  | {
      readonly kind: "settings";
      readonly settings: BootstrapSettings;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Parses the settings of `svc secretstore init` and reports every problem at once. It never throws. */
export function parseBootstrapSettings(input: BootstrapInput): BootstrapSettingsResult {
  const flags = parseFlags(input.flags, { table: bootstrapVariables, refused: refusedFlags });
  if (flags.asked !== undefined) return { kind: flags.asked };
  const { environment } = input;
  const parsed = parseVariables(bootstrapVariables, { environment, flags: flags.values });
  const prefixes = ["STORE_", "BOOTSTRAP_", "VAULT_"];
  const reading: Reading = {
    ...parsed,
    problems: [...flags.problems, ...parsed.problems],
    warnings: [...nearMisses(environment.keys(), { table: bootstrapVariables, prefixes })],
  };
  const settings = assemble(reading);
  if (settings === undefined || reading.problems.length > 0) {
    return { kind: "problems", problems: reading.problems };
  }
  return { kind: "settings", settings, warnings: reading.warnings };
}

/** Applies the rules between variables. All of them run, so that all problems show at once. */
function assemble(reading: Reading): BootstrapSettings | undefined {
  const { storeAddress: address, namespace, releaseName, ...values } = reading.values;
  const tls = readStoreTls(reading);
  const shamir = readShamir(reading);
  const encryption = readEncryption(reading);
  const role = readRole(reading);
  if (address === undefined || namespace === undefined || releaseName === undefined) {
    return undefined;
  }
  const { outputSecret, kvPath, authPath, policyName } = values;
  const store = { address, namespace, releaseName, tls };
  return { store, shamir, encryption, outputSecret, kvPath, authPath, policyName, role };
}

const noSecret = {
  wanted: "left out",
  hint: "every user of the machine can read a command line, and the output Secret has what is needed",
};

/** Flags that people will try and that must not exist. */
const refusedFlags: FlagRules["refused"] = new Map([
  ["root-token", noSecret],
  ["token", noSecret],
  ["unseal-key", noSecret],
  ["key", noSecret],
]);
