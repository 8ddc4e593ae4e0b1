import { afterAll, describe, expect, test } from "bun:test";
import { canary, temporaryFolder } from "@svc/testing";
import { type Initialised, Secret } from "@svc/vault";
import {
  Decrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from "age-encryption";
import { BootstrapError } from "../bootstrap-error.ts";
import type { BootstrapErrorCode } from "../error-catalogue.ts";
import { noEncryption } from "../secret/key-encryption.ts";
import type { EncryptionSettings } from "../settings/bootstrap-settings.ts";
import { prepareEncryption } from "./prepare-encryption.ts";
import { armoredKey } from "./testdata/armored-key.ts";
import { recipients } from "./testdata/recipients.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const texts = [canary(), canary()] as const;
const token = canary();
const keys: Initialised = {
  shares: texts.map((text) => new Secret(text)),
  rootToken: new Secret(token),
};
const none = { cipher: "none" } as const;

async function keyFile(name: string, content = armoredKey): Promise<string> {
  const path = `${folder.path}/${name}`;
  await Bun.write(path, content);
  return path;
}

describe("keys that are encrypted to age", () => {
  const kinds = { X25519: generateX25519Identity, "post-quantum": generateHybridIdentity };
  for (const [kind, generate] of Object.entries(kinds)) {
    test(`by ${kind} identities come back from them, each from its own`, async () => {
      const identities = [await generate(), await generate(), await generate()];
      const [one = "", two = "", three = ""] = await Promise.all(
        identities.map(identityToRecipient),
      );
      const { encrypt, ciphers } = await prepareEncryption({
        shares: { cipher: "age", recipients: [one, two] },
        rootToken: { cipher: "age", recipient: three },
      });
      expect(ciphers).toEqual({ shares: "age", rootToken: "age" });
      const { shares, rootToken } = await encrypt(keys);
      const found = await Promise.all(
        [...shares, rootToken].map((it, at) => decrypt(it, identities[at] ?? "")),
      );
      expect(found).toEqual([...texts, token]);
      expect(await decrypt(rootToken, identities[0] ?? "").catch(() => "refused")).toBe("refused");
    });
  }

  test("show nothing of themselves, for every recipient", async () => {
    const { encrypt } = await prepareEncryption({
      shares: { cipher: "age", recipients: [recipients.x25519, recipients.tag] },
      rootToken: none,
    });
    const { shares, rootToken } = await encrypt(keys);
    const opened = shares.map((it) => Buffer.from(textOf(it), "base64").toString("latin1"));
    expect(opened.filter((it) => !it.startsWith("age-encryption.org/v1\n"))).toEqual([]);
    expect(texts.filter((text) => opened.join().includes(text))).toEqual([]);
    expect(textOf(rootToken)).toBe(token);
  });

  test("are all kept if a store gives more than it was told to", async () => {
    const identity = await generateX25519Identity();
    const { encrypt } = await prepareEncryption({
      shares: { cipher: "age", recipients: [await identityToRecipient(identity)] },
      rootToken: none,
    });
    const { shares } = await encrypt(keys);
    expect(await Promise.all(shares.map((it) => decrypt(it, identity)))).toEqual([...texts]);
  });
});

test("keys that the store encrypts are left as they are", async () => {
  const [one, two] = [await keyFile("one"), await keyFile("two")];
  const { encrypt, ciphers, pgp } = await prepareEncryption({
    shares: { cipher: "pgp", keyPaths: [one, two] },
    rootToken: { cipher: "pgp", keyPath: two },
  });
  expect(ciphers).toEqual({ shares: "pgp", rootToken: "pgp" });
  const [first = ""] = pgp.pgpKeys ?? [];
  expect(pgp).toEqual({ pgpKeys: [first, first], rootTokenPgpKey: first });
  expect(textsOf(await encrypt(keys))).toEqual([...texts, token]);
});

test("without any cipher nothing is asked of the store, and nothing encrypted", async () => {
  const { encrypt, ...plain } = await prepareEncryption({ shares: none, rootToken: none });
  expect({ ...plain, encrypt: noEncryption.encrypt }).toEqual(noEncryption);
  expect(textsOf(await encrypt(keys))).toEqual([...texts, token]);
});

describe("refused while there are no keys is", () => {
  const cases: readonly (readonly [
    string,
    () => Promise<EncryptionSettings>,
    code: BootstrapErrorCode,
    RegExp,
  ])[] = [
    [
      "every recipient that is not a key",
      async () => ({
        shares: {
          cipher: "age",
          recipients: [recipients.zero, recipients.x25519, recipients.plugin],
        },
        rootToken: none,
      }),
      "AGE_RECIPIENT_UNUSABLE",
      /^encrypt to age recipients: "age1q+5cu47z" is not a key; "age1yubikey1\w+" is not a key$/,
    ],
    [
      "a root token's recipient that is not a key",
      async () => ({ shares: none, rootToken: { cipher: "age", recipient: recipients.zero } }),
      "AGE_RECIPIENT_UNUSABLE",
      /is not a key$/,
    ],
    [
      "an invalid PGP key",
      async () => ({
        shares: { cipher: "pgp", keyPaths: [await keyFile("none", "?")] },
        rootToken: none,
      }),
      "PGP_KEY_UNUSABLE",
      /is neither armored/,
    ],
    [
      "a root token's PGP key that is not a share's",
      async () => ({
        shares: none,
        rootToken: { cipher: "pgp", keyPath: await keyFile("alone") },
      }),
      "PGP_KEY_UNUSABLE",
      /is not one of the shares' keys/,
    ],
  ];
  for (const [name, settings, code, message] of cases) {
    test(name, async () => {
      const error: unknown = await prepareEncryption(await settings()).catch((it: unknown) => it);
      if (!(error instanceof BootstrapError)) throw new TypeError("expected a BootstrapError");
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
    });
  }
});

function decrypt(secret: Secret, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(Uint8Array.fromBase64(textOf(secret)), "text");
}

function textsOf({ shares, rootToken }: Initialised): readonly string[] {
  return [...shares, rootToken].map(textOf);
}

function textOf(secret: Secret): string {
  const bytes = new Uint8Array(secret.byteLength);
  secret.writeTo(bytes);
  return new TextDecoder().decode(bytes);
}
