import type { KeyCiphers, StoredKeys } from "../secret/secret-phase.ts";
import type { BootstrapSettings } from "../settings.ts";

/**
 * Settings about keys that an earlier run has made differently: they no longer have an effect.
 * @param ciphers the encryption of new keys
 */
export function ignoredSettings(
  { shamir }: Pick<BootstrapSettings, "shamir">,
  ciphers: KeyCiphers,
  stored: StoredKeys,
): readonly string[] {
  const { shares, threshold } = shamir;
  const found = `the store was initialised with ${stored.shares.length} shares of which ${stored.threshold} unseal`;
  const isSplit = stored.shares.length === shares && stored.threshold === threshold;
  const { encryption: has, rootToken } = stored;
  const encryptsAs =
    has.shares === ciphers.shares &&
    (rootToken === undefined || has.rootToken === ciphers.rootToken);
  return [
    ...(isSplit
      ? []
      : [`BOOTSTRAP_SHAMIR_SHARES, BOOTSTRAP_SHAMIR_THRESHOLD: have no effect: ${found}`]),
    ...(encryptsAs
      ? []
      : [
          "BOOTSTRAP_PGP_KEYS, BOOTSTRAP_AGE_RECIPIENTS: have no effect: the keys in the Secret stay as they were encrypted, or not",
        ]),
  ];
}
