import { expect, test } from "bun:test";
import { readBech32 } from "./bech32.ts";

/** The lower-case vectors of BIP 173. */
const valid: readonly (readonly [text: string, prefix: string, bytes: number])[] = [
  ["a12uel5l", "a", 0],
  [
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio",
    0,
  ],
  ["abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", 20],
  ["split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split", 30],
  ["?1ezyfcl", "?", 0],
];
for (const [text, prefix, byteLength] of valid) {
  test(`${text} is read`, () => expect(readBech32(text)).toEqual({ prefix, byteLength }));
}

const invalid: readonly (readonly [what: string, text: string])[] = [
  ["nothing", ""],
  ["no separator", "pzry9x0s0muk"],
  ["an empty prefix", "1pzry9x0s0muk"],
  ["a character that is none of its own", "x1b4n0q5v"],
  ["too short a checksum", "li1dgmt3"],
  ["a wrong checksum", "a12uel5q"],
  [
    "two characters that changed places",
    "split1checkupstagehandshakeupstreamerranterredcaperred2y9ew3",
  ],
  ["upper case", "A12UEL5L"],
];
for (const [what, text] of invalid) {
  test(`${what} is refused`, () => expect(readBech32(text)).toBeUndefined());
}
