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
