import { describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import { recipients } from "../encryption/testdata/recipients.ts";
import type { EncryptionSettings } from "../settings.ts";
import {
  type Environment,
  least,
  messagesOf,
  parse,
  settingsOf,
  warningsOf,
} from "./testdata/least-environment.ts";

const { x25519, tag } = recipients;
const secret = canary();
/** Two shares, so that lists are short. */
const two = { ...least, BOOTSTRAP_SHAMIR_SHARES: "2", BOOTSTRAP_SHAMIR_THRESHOLD: "2" };
const none = { cipher: "none" } as const;

describe("the encryption of keys is", () => {
  const token = { cipher: "age", recipient: tag } as const;
  const cases: readonly (readonly [string, Environment, EncryptionSettings])[] = [
    ["none by default", {}, { shares: none, rootToken: none }],
    [
      "to PGP keys",
      { BOOTSTRAP_PGP_KEYS: "/a.asc, /b.asc", BOOTSTRAP_ROOT_TOKEN_PGP_KEY: "/b.asc" },
      {
        shares: { cipher: "pgp", keyPaths: ["/a.asc", "/b.asc"] },
        rootToken: { cipher: "pgp", keyPath: "/b.asc" },
      },
    ],
    [
      "to age recipients",
      { BOOTSTRAP_AGE_RECIPIENTS: `${x25519},${tag}`, BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag },
      { shares: { cipher: "age", recipients: [x25519, tag] }, rootToken: token },
    ],
    [
      "one for the shares and another for the token",
      { BOOTSTRAP_PGP_KEYS: "/a.asc,/b.asc", BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag },
      { shares: { cipher: "pgp", keyPaths: ["/a.asc", "/b.asc"] }, rootToken: token },
    ],
  ];
  for (const [name, environment, encryption] of cases) {
    test(name, () => {
      expect(settingsOf({ ...two, ...environment }).encryption).toEqual(encryption);
    });
  }

  test("told by flags", () => {
    const byFlags = (...flags: readonly string[]) => settingsOf(two, flags).encryption;
    expect(byFlags("--pgp-keys=/a,/b", "--root-token-pgp-key=/a")).toEqual({
      shares: { cipher: "pgp", keyPaths: ["/a", "/b"] },
      rootToken: { cipher: "pgp", keyPath: "/a" },
    });
    expect(byFlags(`--age-recipients=${tag},${tag}`, `--root-token-age-recipient=${tag}`)).toEqual({
      shares: { cipher: "age", recipients: [tag, tag] },
      rootToken: token,
    });
  });
});

describe("refused is", () => {
  const age = "BOOTSTRAP_AGE_RECIPIENTS";
  const cases: readonly (readonly [string, Environment, readonly string[]])[] = [
    [
      "PGP and age for the same thing",
      {
        BOOTSTRAP_PGP_KEYS: "/a,/b",
        BOOTSTRAP_AGE_RECIPIENTS: `${tag},${tag}`,
        BOOTSTRAP_ROOT_TOKEN_PGP_KEY: "/a",
        BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag,
      },
      [
        `${age}: must be left out if BOOTSTRAP_PGP_KEYS is set: both are set`,
        "BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: must be left out if BOOTSTRAP_ROOT_TOKEN_PGP_KEY is set: both are set",
      ],
    ],
    [
      "a key too few",
      { BOOTSTRAP_PGP_KEYS: "/a" },
      ["BOOTSTRAP_PGP_KEYS: must be one for each of the 2 shares: there is one"],
    ],
    [
      "a recipient too many",
      { [age]: `${tag},${tag},${x25519}` },
      [`${age}: must be one for each of the 2 shares: there are 3`],
    ],
    [
      "a root token's PGP key without those of shares",
      { BOOTSTRAP_ROOT_TOKEN_PGP_KEY: "/a" },
      [
        "BOOTSTRAP_ROOT_TOKEN_PGP_KEY: must be one of the keys of BOOTSTRAP_PGP_KEYS: the store tries the keys of shares before it initialises itself, and this one after",
      ],
    ],
    [
      "a key that is not an absolute path",
      { BOOTSTRAP_PGP_KEYS: "keybase:me,/b" },
      [
        'BOOTSTRAP_PGP_KEYS: must be an absolute path of a file, such as /etc/svc/ca.pem (item 1): got "keybase:me"',
      ],
    ],
    [
      "every recipient at fault",
      { [age]: `${recipients.mistyped},${recipients.plugin},${recipients.short},` },
      [
        `${age}: must be an age recipient, age1… without a mistake in it (item 1): got "${recipients.mistyped}"`,
        `${age}: must be an age recipient that needs no plugin (item 2): it is one of the plugin "yubikey"`,
        `${age}: must be an age recipient, age1… (item 3): got "${recipients.short}"`,
        `${age}: must be a list without empty items (item 4): nothing stands between two commas`,
      ],
    ],
    [
      "an SSH key",
      { BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: "ssh-ed25519 AAAA me@x" },
      ["BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: must be an age recipient, age1…: it is an SSH key"],
    ],
  ];
  for (const [name, environment, messages] of cases) {
    test(name, () => expect(messagesOf({ ...two, ...environment })).toEqual([...messages]));
  }
});

describe("never shown is", () => {
  const texts: Readonly<Record<string, string>> = {
    "an identity": `AGE-SECRET-KEY-1${secret}`,
    "an identity in lower case": `age-secret-key-1${secret}`,
    "an identity of a plugin": `AGE-PLUGIN-YUBIKEY-1${secret}`,
    "a whole key file": `# public key: ${x25519}\nAGE-SECRET-KEY-1${secret}`,
    "an identity behind its recipient": `${x25519} AGE-SECRET-KEY-1${secret}`,
    "what is neither": secret,
  };
  for (const [name, text] of Object.entries(texts)) {
    for (const row of ["BOOTSTRAP_AGE_RECIPIENTS", "BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT"]) {
      test(`${name} as ${row}`, () => {
        const result = parse({ ...two, [row]: text });
        expect(result.kind).toBe("problems");
        expect(JSON.stringify(result)).not.toContain(secret);
        expect(JSON.stringify(result)).toContain("not shown");
      });
    }
  }
});

describe("a warning is given for", () => {
  const about = (environment: Environment) =>
    warningsOf({ ...two, ...environment }).filter((it) => !/^BOOTSTRAP_(?:ROLE|REVOKE)/.test(it));
  const several = "one is there more than once: the holder of its key has several shares";
  const cases: readonly (readonly [string, Environment, readonly string[]])[] = [
    [
      "a recipient of several shares",
      { BOOTSTRAP_AGE_RECIPIENTS: `${tag},${tag}`, BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag },
      [`BOOTSTRAP_AGE_RECIPIENTS: ${several}`],
    ],
    [
      "a key of several shares",
      { BOOTSTRAP_PGP_KEYS: "/a,/a", BOOTSTRAP_ROOT_TOKEN_PGP_KEY: "/a" },
      [`BOOTSTRAP_PGP_KEYS: ${several}`],
    ],
    [
      "a root token that is not encrypted beside shares that are",
      { BOOTSTRAP_PGP_KEYS: "/a,/b" },
      [
        "BOOTSTRAP_ROOT_TOKEN_PGP_KEY: is not set: the root token is stored unencrypted, and stays without BOOTSTRAP_REVOKE_ROOT",
      ],
    ],
    [
      "nothing if the root token is revoked",
      { BOOTSTRAP_PGP_KEYS: "/a,/b", BOOTSTRAP_REVOKE_ROOT: "true" },
      [],
    ],
    [
      "shares that are not encrypted beside a root token that is",
      { BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag },
      [
        "BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: the shares are not encrypted: their holders can make a new root token",
      ],
    ],
    [
      "nothing if all is encrypted, each to another holder",
      { BOOTSTRAP_AGE_RECIPIENTS: `${tag},${x25519}`, BOOTSTRAP_ROOT_TOKEN_AGE_RECIPIENT: tag },
      [],
    ],
  ];
  for (const [name, environment, warnings] of cases) {
    test(name, () => expect(about(environment)).toEqual([...warnings]));
  }
});
