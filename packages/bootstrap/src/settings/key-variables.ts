import { bech32 } from "@scure/base";
import {
  accepted,
  flagOnly,
  type Parsed,
  parseFilePath,
  parseGoBoolean,
  parseList,
  refused,
  variable,
} from "@svc/settings";

/** Parses a number of key shares: Shamir's scheme over bytes has at most 255. */
export function parseShareCount(text: string): Parsed<number> {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= 255 ? accepted(count) : refused("a number from 1 to 255");
}

const group = "Key shares";

/** How the store's key is split. */
export const shamirVariables = {
  shares: variable({
    name: "BOOTSTRAP_SHAMIR_SHARES",
    flag: "shamir-shares",
    group,
    type: "number",
    default: "5",
    parse: parseShareCount,
    meaning: "Number of key shares that the initialisation makes. From 1 to 255.",
  }),
  threshold: variable({
    name: "BOOTSTRAP_SHAMIR_THRESHOLD",
    flag: "shamir-threshold",
    group,
    type: "number",
    default: "3",
    parse: parseShareCount,
    meaning:
      "Number of key shares that unseal. At most the number of shares; at least 2, and 1 if there is one share.",
  }),
};

/** The recipients that need no plugin, and how many bytes are in each. */
const kinds: ReadonlyMap<string, number> = new Map([
  ["age", 32],
  ["age1pq", 1216],
  ["age1tag", 33],
  ["age1tagpq", 1249],
]);

const BITS_OF_WORD = 5;
const wanted = "an age recipient, age1…";
const toRecipient = "age-keygen -y FILE prints the recipient of an identity";
/** Another text may be the wrong half of a key, or a password. */
const unshown = "the given text has another form (it is not shown)";

/** Parses a recipient of age: to a key of X25519 or post-quantum, or to a hardware key's tag. */
export function parseAgeRecipient(text: string): Parsed<string> {
  if (/age-(?:secret-key|plugin)-/i.test(text)) {
    const found = "it is an identity, which is secret (it is not shown)";
    return refused(wanted, { found, hint: toRecipient });
  }
  if (/^ssh-|^ecdsa-/.test(text)) {
    return refused(wanted, { found: "it is an SSH key", hint: "age-keygen makes age's own keys" });
  }
  if (!/^age1[a-z0-9]+$/.test(text)) return refused(wanted, { found: unshown });
  // Bech32 of BIP 173, as long as age has it.
  const read = bech32.decodeUnsafe(text, false);
  if (read === undefined) return refused(`${wanted} without a mistake in it`);
  const length = kinds.get(read.prefix);
  if (length === undefined) {
    const found = `it is one of the plugin "${read.prefix.slice("age1".length)}"`;
    return refused("an age recipient that needs no plugin", { found });
  }
  const byteLength = Math.floor((read.words.length * BITS_OF_WORD) / 8);
  return byteLength === length ? accepted(text) : refused(wanted);
}

const encryptionGroup = "Encrypted key shares";

/** The recipients of the initialisation's keys. */
export const encryptionVariables = {
  pgpKeys: variable({
    name: "BOOTSTRAP_PGP_KEYS",
    flag: "pgp-keys",
    group: encryptionGroup,
    type: "list of files",
    parse: parseList(parseFilePath),
    meaning:
      "Files of OpenPGP public keys, one for each share, between commas. The store encrypts each share to its key.",
  }),
  rootTokenPgpKey: variable({
    name: "BOOTSTRAP_ROOT_TOKEN_PGP_KEY",
    flag: "root-token-pgp-key",
    group: encryptionGroup,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_PGP_KEYS" },
    parse: parseFilePath,
    meaning:
      "File of the OpenPGP public key that the store encrypts the root token to. One of the keys of BOOTSTRAP_PGP_KEYS, because the store tries those before it initialises itself.",
  }),
  ageRecipients: variable({
    name: "BOOTSTRAP_AGE_RECIPIENTS",
    flag: "age-recipients",
    group: encryptionGroup,
    type: "list",
    parse: parseList(parseAgeRecipient),
    meaning:
      "Recipients of age, `age1…`, one for each share, between commas. Each share is encrypted to its recipient before it is stored.",
  }),
  rootTokenAgeRecipient: variable({
    name: "BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT",
    flag: "root-token-age-recipient",
    group: encryptionGroup,
    type: "recipient",
    parse: parseAgeRecipient,
    meaning: "Recipient of age that the root token is encrypted to before it is stored.",
  }),
};

/** What `svc secretstore unseal` alone knows. */
export const unsealingVariables = {
  sharesStdin: flagOnly({
    name: "--shares-stdin",
    group: "Key shares",
    type: "boolean",
    parse: parseGoBoolean,
    meaning:
      "Takes key shares from standard input, one a line, in place of the Secret's; on a terminal they are asked for and not shown.",
  }),
};
