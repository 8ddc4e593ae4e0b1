import { complain, present, readVaultTls } from "@svc/settings";
import { engineOf } from "./engine-traits.ts";
import { unusedProxies } from "./proxy-variables.ts";
import { readAuth } from "./read-auth.ts";
import { isGiven, labelOf, type Reading, type WrapperKey } from "./reading.ts";
import type { SecretItem } from "./secret-variables.ts";
import { wrapperVariables } from "./variables.ts";
import { vaultVariables } from "./vault-variables.ts";
import type { VaultSettings } from "./wrapper-settings.ts";

/** The inputs beside the variables. */
export interface VaultInput {
  readonly environment: ReadonlyMap<string, string>;
  readonly tokenPresent: boolean;
}

/** The way to the vault; undefined if every secret is a file, or after a problem. */
export function readVault(reading: Reading, input: VaultInput): VaultSettings | undefined {
  if (!needsVault(reading)) {
    warnAboutUnused(reading, input.tokenPresent);
    return undefined;
  }
  const { vaultAddress: address, namespace, requestTimeoutMs } = reading.values;
  requireAddress(reading);
  const auth = readAuth(reading, input.tokenPresent);
  const tls = readVaultTls(reading, {
    ...{ name: "vault", address, addressVariable: "VAULT_ADDR" },
    sent: "the token and every secret",
  });
  if (address === undefined || auth === undefined) return undefined;
  reading.warnings.push(...unusedProxies(input.environment, address));
  return { address, ...present({ namespace }), requestTimeoutMs, auth, tls };
}

function requireAddress(reading: Reading): void {
  if (isGiven(reading, "vaultAddress")) return;
  complain(reading, {
    variable: "VAULT_ADDR",
    wanted: "set",
    found: "it is not set",
    hint: "set it, or give --vault-addr=URL; secrets in files (file:/path) need no vault",
  });
}

/**
 * Whether a secret comes from a vault. Without any secret, or with a malformed one that may be of a
 * vault, it is asked for: so one run shows all problems.
 */
function needsVault(reading: Reading): boolean {
  const { secretItems: items, secretPaths: paths } = reading.values;
  if (!isGiven(reading, "secretItems")) {
    return paths === undefined ? mayNeedVault(reading, "secretPaths") : paths.some(isInVault);
  }
  if (items === undefined) return mayNeedVault(reading, "secretItems");
  return items.some((item) => itemNeedsVault(item, paths?.some(isInVault) ?? true));
}

function isInVault(source: Parameters<typeof engineOf>[0]): boolean {
  return engineOf(source).isInVault;
}

/** A bare key is looked up in the paths; without paths it is a secret of the vault. */
function itemNeedsVault(item: SecretItem, pathsNeedIt: boolean): boolean {
  return item.kind === "key" ? pathsNeedIt : isInVault(item.path);
}

/** The same of a text that was refused, and of one that is missing. */
function mayNeedVault({ given }: Reading, key: "secretItems" | "secretPaths"): boolean {
  const items = given.get(key)?.text.split(",") ?? [];
  return !items.some((item) => /^(?:[^=]*=)?\s*file:/.test(item.trim()));
}

/** Clusters may set them for all pods: one line names all of them. */
function warnAboutUnused(reading: Reading, tokenPresent: boolean): void {
  const keys = Object.keys(vaultVariables) as readonly (keyof typeof vaultVariables)[];
  const labels = keys
    .filter((key: WrapperKey) => isGiven(reading, key))
    .map((key) => labelOf(reading, key, wrapperVariables[key].name));
  const unused = [...labels, ...(tokenPresent ? ["VAULT_TOKEN"] : [])];
  if (unused.length === 0) return;
  const verb = unused.length === 1 ? "has" : "have";
  reading.warnings.push(`${unused.join(", ")}: ${verb} no effect: every secret is a file`);
}
