import { parseFilePath, parseList, variable } from "@svc/settings";
import { parseAgeRecipient } from "./age-recipient.ts";

const group = "Encrypted key shares";

/** The recipients of the initialisation's keys. */
export const encryptionVariables = {
  pgpKeys: variable({
    name: "BOOTSTRAP_PGP_KEYS",
    flag: "pgp-keys",
    group,
    type: "list of files",
    parse: parseList(parseFilePath),
    meaning:
      "Files of OpenPGP public keys, one for each share, between commas. The store encrypts each share to its key.",
  }),
  rootTokenPgpKey: variable({
    name: "BOOTSTRAP_ROOT_TOKEN_PGP_KEY",
    flag: "root-token-pgp-key",
    group,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_PGP_KEYS" },
    parse: parseFilePath,
    meaning:
      "File of the OpenPGP public key that the store encrypts the root token to. One of the keys of BOOTSTRAP_PGP_KEYS, because those the store tries before it initialises itself.",
  }),
  ageRecipients: variable({
    name: "BOOTSTRAP_AGE_RECIPIENTS",
    flag: "age-recipients",
    group,
    type: "list",
    parse: parseList(parseAgeRecipient),
    meaning:
      "Recipients of age, `age1…`, one for each share, between commas. Each share is encrypted to its recipient before it is stored.",
  }),
  rootTokenAgeRecipient: variable({
    name: "BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT",
    flag: "root-token-age-recipient",
    group,
    type: "recipient",
    parse: parseAgeRecipient,
    meaning: "Recipient of age that the root token is encrypted to before it is stored.",
  }),
};
