import type { Initialised, Secret } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { KeyEncryption } from "../secret/key-encryption.ts";
import type { KeyCiphers } from "../secret/secret-phase.ts";
import type { EncryptionSettings } from "../settings/bootstrap-settings.ts";
import { type AgeEncrypt, ageEncrypters } from "./age-encrypters.ts";
import { loadPgpKeys } from "./load-pgp-keys.ts";

/**
 * Reads the keys and tries the recipients that a store's keys are to be encrypted to.
 * @throws BootstrapError `PGP_KEY_UNUSABLE`, `AGE_RECIPIENT_UNUSABLE`
 */
export async function prepareEncryption(settings: EncryptionSettings): Promise<KeyEncryption> {
  const pgp = await loadPgp(settings);
  const { shares, rootToken } = settings;
  const forShares = shares.cipher === "age" ? await encryptersOf(shares.recipients) : undefined;
  const forToken =
    rootToken.cipher === "age" ? await encryptersOf([rootToken.recipient]) : undefined;
  return {
    ciphers: ciphersOf(settings),
    pgp,
    encrypt: async (keys: Initialised) => ({
      shares: await Promise.all(keys.shares.map((share, at) => encrypt(share, forShares, at))),
      rootToken: await encrypt(keys.rootToken, forToken, 0),
    }),
  };
}

function ciphersOf({ shares, rootToken }: EncryptionSettings): KeyCiphers {
  return {
    ...(shares.cipher !== "none" && { shares: shares.cipher }),
    ...(rootToken.cipher !== "none" && { rootToken: rootToken.cipher }),
  };
}

async function loadPgp({ shares, rootToken }: EncryptionSettings): Promise<KeyEncryption["pgp"]> {
  const sharePaths = shares.cipher === "pgp" ? shares.keyPaths : [];
  const tokenPaths = rootToken.cipher === "pgp" ? [rootToken.keyPath] : [];
  const keys = await loadPgpKeys([...sharePaths, ...tokenPaths]);
  const pgpKeys = keys.slice(0, sharePaths.length);
  const rootTokenPgpKey = keys[sharePaths.length];
  if (rootTokenPgpKey !== undefined) requireTried(rootTokenPgpKey, pgpKeys);
  return { ...(pgpKeys.length > 0 && { pgpKeys }), ...(rootTokenPgpKey && { rootTokenPgpKey }) };
}

/**
 * A store encrypts its shares before it initialises itself, and the root token afterwards: if it
 * cannot use that key, it answers an error, and all keys are lost. Keys of shares it has tried.
 */
function requireTried(rootTokenKey: string, shareKeys: readonly string[]): void {
  if (shareKeys.includes(rootTokenKey)) return;
  const found =
    "the root token's key is not one of the shares' keys, and the store tests the shares' keys beforehand";
  throw new BootstrapError("PGP_KEY_UNUSABLE", `use the PGP keys: ${found}`, {
    hint: "give the root token to a holder of a share",
  });
}

type Encrypters = readonly [AgeEncrypt, ...(readonly AgeEncrypt[])];

async function encryptersOf(recipients: readonly string[]): Promise<Encrypters> {
  const [first, ...others] = await ageEncrypters(recipients);
  if (first === undefined) throw new RangeError("encrypt to age recipients: there is none");
  return [first, ...others];
}

/** A store that gives more shares than it was told to: no refusal, which would lose them all. */
function encrypt(secret: Secret, to: Encrypters | undefined, at: number): Promise<Secret> {
  if (to === undefined) return Promise.resolve(secret);
  const [first] = to;
  return (to[at % to.length] ?? first)(secret);
}
