import type { EnvironmentEntry } from "@svc/kernel";

/** The variables of OpenBao's client, by those of Vault's that they stand for. */
const baoNames: ReadonlyMap<string, string> = new Map(
  [
    ...["ADDR", "TOKEN", "NAMESPACE", "CLIENT_TIMEOUT", "SKIP_VERIFY", "TLS_SERVER_NAME"],
    ...["CACERT", "CACERT_BYTES", "CAPATH", "CLIENT_CERT", "CLIENT_KEY"],
  ].map((name) => [`BAO_${name}`, `VAULT_${name}`]),
);

/** A variable of the environment, by its name. */
interface NamedEntry {
  readonly name: string;
  /** True if its value is not empty. */
  readonly isSet: boolean;
}

/** True for a variable of OpenBao's client that may stand for one of ours. */
export function isBaoName(name: string): boolean {
  return baoNames.has(name);
}

/**
 * The variables of OpenBao's client that the wrapper reads, each with the name that it stands for.
 *
 * They count only if BAO_ADDR names the vault and VAULT_ADDR does not. Otherwise they are the
 * program's: those of another vault must not lead the wrapper's login there. A variable of Vault's
 * name takes precedence.
 */
export function readBaoNames(
  entries: readonly NamedEntry[],
  hasAddressFlag: boolean,
): ReadonlyMap<string, string> {
  const set = new Set(entries.filter(({ isSet }) => isSet).map(({ name }) => name));
  if (hasAddressFlag || set.has("VAULT_ADDR") || !set.has("BAO_ADDR")) return new Map();
  return new Map([...baoNames].filter(([bao, vault]) => set.has(bao) && !set.has(vault)));
}

/**
 * The entries with the names that OpenBao's variables stand for. An empty one of such a name comes
 * last: getenv(3) takes the first of several.
 */
export function withBaoNames(
  entries: readonly EnvironmentEntry[],
  hasAddressFlag: boolean,
): readonly EnvironmentEntry[] {
  const shown = entries.map(({ name, length, valueOffset }) => {
    return { name, isSet: length > valueOffset };
  });
  const names = readBaoNames(shown, hasAddressFlag);
  if (names.size === 0) return entries;
  const replaced = new Set(names.values());
  const renamed = entries.map((entry) => {
    const name = names.get(entry.name);
    return name === undefined ? entry : { ...entry, name, writtenAs: entry.name };
  });
  const isHidden = (entry: EnvironmentEntry) =>
    entry.writtenAs === undefined && replaced.has(entry.name);
  return [...renamed.filter((entry) => !isHidden(entry)), ...renamed.filter(isHidden)];
}
