import { afterAll, describe, expect, test } from "bun:test";
import { canary, temporaryFolder } from "@svc/testing";
import { BootstrapError } from "../bootstrap-error.ts";
import { loadPgpKeys } from "./load-pgp-keys.ts";
import { decodePgpText } from "./pgp-armor.ts";
import { packetTags } from "./pgp-packets.ts";
import { armoredKey } from "./testdata/armored-key.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const decoded = decodePgpText(armoredKey);
const binary = "bytes" in decoded ? decoded.bytes : new Uint8Array();
const base64 = binary.toBase64();
const secret = canary();
/** The header of an armored block, in parts so that no tool takes this file for a key. */
const block = (kind: string) => `-----BEGIN PGP ${kind} BLOCK-----`;
const bytes = (...values: readonly (number | Uint8Array)[]) =>
  new Uint8Array(values.flatMap((it) => (typeof it === "number" ? [it] : [...it])));
const filled = (text: string) => bytes(0xc5, text.length, new TextEncoder().encode(text));

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = `${folder.path}/${name.replaceAll(" ", "-")}`;
  await Bun.write(path, content);
  return path;
}

describe("a PGP key is taken", () => {
  const lines = armoredKey.trim().split("\n");
  const taken: Readonly<Record<string, string | Uint8Array>> = {
    armored: armoredKey,
    "armored with headers": armoredKey.replace("\n\n", "\nVersion: 1\nComment: Zoë\n\n"),
    "armored with the line ends of Windows": armoredKey.replaceAll("\n", "\r\n"),
    "armored without a checksum": lines.filter((line) => !/^=\w{4}$/.test(line)).join("\n"),
    "armored between empty lines": `\n\n${armoredKey}\n\n`,
    binary,
    "binary in base64": base64,
    "binary in base64 on several lines": `${base64.replace(/.{76}/g, "$&\n")}\n`,
  };
  for (const [name, content] of Object.entries(taken)) {
    test(name, async () =>
      expect(await loadPgpKeys([await fileOf(name, content)])).toEqual([base64]),
    );
  }
});

describe("a PGP key is refused that", () => {
  const privateFault = "holds a private key";
  const refused: Readonly<Record<string, readonly [string | Uint8Array, fault: string]>> = {
    "is empty": ["", "is empty"],
    "is too large": [new Uint8Array(64 * 1024 + 1).fill(0x99), "is larger than 65536 bytes"],
    "is a text": ["hello, world", "is neither armored nor binary"],
    "is armored and private": [`${block("PRIVATE KEY")}\n\n${secret}\n`, privateFault],
    "has a private key behind it": [
      `${armoredKey}${block("PRIVATE KEY")}\n${secret}`,
      privateFault,
    ],
    "is binary and private": [filled(secret), privateFault],
    "is private in base64": [filled(secret).toBase64(), privateFault],
    "has a private subkey": [bytes(binary, 0xc7, 1, 4), privateFault],
    "is a message": [block("MESSAGE"), "is neither armored nor binary"],
    "is a signature": [bytes(0xc2, 1, 4), "does not begin with a public key"],
    "is followed by another": [`${armoredKey}${armoredKey}`, "holds more than one key"],
    "is one of two in binary": [bytes(binary, binary), "holds more than one key"],
    "has lost its end": [armoredKey.slice(0, 400), "is not complete"],
    "has lost its end in binary": [
      binary.slice(0, 300),
      "is not an OpenPGP key, or is not complete",
    ],
    "has lost its empty line": [armoredKey.replace("\n\n", "\n"), "is not complete"],
    "has another checksum": [armoredKey.replace("=bZsS", "=bZsT"), "has a wrong checksum"],
    "has another character": [armoredKey.replace("mDME", "mDMF"), "has a wrong checksum"],
  };
  for (const [name, [content, fault]] of Object.entries(refused)) {
    test(name, async () => {
      const path = await fileOf(name, content);
      const error = await failing(loadPgpKeys([path]));
      expect(error).toMatchObject({ code: "PGP_KEY_UNUSABLE" });
      expect(error.message).toStartWith(`read the PGP keys: "${path}" ${fault}`);
      expect(Bun.inspect(error)).not.toContain(secret);
    });
  }

  test("cannot be read, with every other that cannot be used", async () => {
    const absent = `${folder.path}/absent`;
    const empty = await fileOf("empty", "");
    const right = await fileOf("right", binary);
    const { message } = await failing(loadPgpKeys([absent, right, empty, folder.path]));
    expect(message).toBe(
      `read the PGP keys: "${absent}" cannot be read (ENOENT); "${empty}" is empty; "${folder.path}" cannot be read (EISDIR)`,
    );
  });
});

describe("the packets of", () => {
  const cases: Readonly<Record<string, readonly [Uint8Array, readonly number[] | undefined]>> = {
    nothing: [new Uint8Array(), []],
    "a key": [binary, [6, 13, 2, 14, 2]],
    "every length": [
      bytes(
        ...[0x98, 1, 0, 0x99, 0, 1, 0, 0x9a, 0, 0, 0, 1, 0],
        ...[0xc6, 1, 0, 0xc6, 192, 0, new Uint8Array(192), 0xc6, 255, 0, 0, 0, 1, 0],
      ),
      [6, 6, 6, 6, 6, 6],
    ],
    "an undetermined length": [bytes(0x9b, 0), undefined],
    "a length in parts": [bytes(0xc6, 224, 0), undefined],
    "a header alone": [bytes(0x99), undefined],
    "a length beyond the end": [bytes(0xc6, 255, 255, 255, 255, 255), undefined],
    "a text": [new TextEncoder().encode("abc"), undefined],
  };
  for (const [name, [given, tags]] of Object.entries(cases)) {
    test(name, () => expect(packetTags(given)).toEqual(tags));
  }
});

async function failing(act: Promise<unknown>): Promise<BootstrapError> {
  const error: unknown = await act.catch((it: unknown) => it);
  if (error instanceof BootstrapError) return error;
  throw new TypeError("expected a BootstrapError");
}
