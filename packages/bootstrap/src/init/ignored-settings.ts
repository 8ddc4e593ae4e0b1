import type { KeyCiphers, StoredKeys } from "../secret/secret-phase.ts";
import type { BootstrapSettings } from "../settings.ts";

/**
 * What settings say about keys that an earlier run has made otherwise: they have no effect any more.
 * @param ciphers what new keys would be encrypted with
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
