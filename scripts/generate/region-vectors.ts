/**
 * Writes formats/vectors/region: `bun scripts/generate/region-vectors.ts`. The bytes are spelled
 * here and not written by packages/protocol, so that a mistake there shows.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PAGE_BYTES = 4096;

/** A key with its value; bytes that are not UTF-8 stand as `valueHex`. */
type Entry = readonly [key: string, value: string | Uint8Array];

interface Valid {
  readonly name: string;
  /** If the file is more than each entry and its NUL. */
  readonly bytes?: Uint8Array;
  readonly entries: readonly Entry[];
}

const many: readonly Entry[] = Array.from({ length: 300 }, (_, index) => [
  `KEY_${index}`,
  `value ${index}`,
]);

const valid: readonly Valid[] = [
  { name: "an empty region is one NUL", bytes: raw("\0"), entries: [] },
  { name: "an empty region of a page", bytes: new Uint8Array(PAGE_BYTES), entries: [] },
  { name: "one entry", entries: [["KEY", "value"]] },
  {
    name: "one entry in a page of zeroes",
    bytes: page("KEY=value\0"),
    entries: [["KEY", "value"]],
  },
  { name: "an empty value", entries: [["EMPTY", ""]] },
  {
    name: "an empty value between others",
    entries: [
      ["A", "1"],
      ["EMPTY", ""],
      ["B", "2"],
    ],
  },
  { name: "a value with equals signs", entries: [["DSN", "host=a user=b="]] },
  { name: "a value that is an equals sign", entries: [["EQUALS", "="]] },
  {
    name: "a value of several lines",
    entries: [["PEM", "-----BEGIN-----\nabc\r\n-----END-----\n"]],
  },
  { name: "a value with blanks around it", entries: [["BLANKS", " \t x \t "]] },
  { name: "a UTF-8 value", entries: [["GREETING", "grüße, 世界 🌍"]] },
  { name: "a value with a byte order mark", entries: [["MARKED", "\ufeffvalue"]] },
  {
    name: "a value that is not UTF-8",
    entries: [["BYTES", Uint8Array.of(0xff, 0xfe, 0x80, 0x01)]],
  },
  {
    name: "keys of every form",
    entries: [
      ["a", "1"],
      ["_", "2"],
      ["_9", "3"],
      ["Zz_09", "4"],
    ],
  },
  {
    name: "keys that differ in case only",
    entries: [
      ["KEY", "upper"],
      ["key", "lower"],
    ],
  },
  {
    name: "keys of which one begins with another",
    entries: [
      ["KEY_2", "2"],
      ["KEY", "1"],
    ],
  },
  {
    name: "keys with dashes and dots",
    entries: [
      ["my-key", "1"],
      ["spring.datasource.password", "2"],
      ["-.a", "3"],
    ],
  },
  {
    name: "keys that begin with a digit",
    entries: [
      ["1", "1"],
      ["2FA_SEED", "2"],
    ],
  },
  { name: "a key with blanks", entries: [[" MY KEY ", "value"]] },
  {
    name: "a key of all that is printable in ASCII",
    entries: [["!\"#$%&'()*+,-./09:;<>?@AZ[\\]^_`az{|}~", "value"]],
  },
  {
    name: "keys beyond ASCII",
    entries: [
      ["GRÖSSE", "2 bytes"],
      ["鍵", "3 bytes"],
      ["🔑", "4 bytes"],
      ["\u00a0\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}", "ends of ranges"],
    ],
  },
  { name: "a key behind a byte order mark", entries: [["\ufeffKEY", "value"]] },
  { name: "a value longer than a page", entries: [["LONG", "x".repeat(5000)]] },
  { name: "an entry that ends with its page", entries: [["FULL", "x".repeat(PAGE_BYTES - 6)]] },
  {
    name: "300 entries",
    bytes: page(...many.map(([key, value]) => `${key}=${value}\0`)),
    entries: many,
  },
];

const refused: readonly (readonly [name: string, error: string, bytes: Uint8Array])[] = [
  ["an empty key", "INVALID_KEY", raw("=value\0")],
  ["a key with a line feed at its end", "INVALID_KEY", raw("KEY\n=value\0")],
  ["a key with a tab", "INVALID_KEY", raw("A\tB=value\0")],
  ["a key with DEL", "INVALID_KEY", raw("KEY\x7f=value\0")],
  ["a key with a control character beyond ASCII", "INVALID_KEY", raw("KEY\x9b=value\0")],
  ["a key that is not UTF-8", "INVALID_KEY", withKey(0x4b, 0xff)],
  ["a key with a character cut off", "INVALID_KEY", withKey(0x4b, 0xe2, 0x82)],
  ["a key with a continuation byte alone", "INVALID_KEY", withKey(0x4b, 0x80)],
  ["a key with an overlong character", "INVALID_KEY", withKey(0xc1, 0x81)],
  ["a key with an overlong character of three bytes", "INVALID_KEY", withKey(0xe0, 0x9f, 0xbf)],
  ["a key with half of a surrogate pair", "INVALID_KEY", withKey(0xed, 0xa0, 0x80)],
  ["a key with an overlong character of four", "INVALID_KEY", withKey(0xf0, 0x8f, 0xbf, 0xbf)],
  ["a key beyond Unicode", "INVALID_KEY", withKey(0xf4, 0x90, 0x80, 0x80)],
  ["an invalid key behind a valid entry", "INVALID_KEY", raw("KEY=value\0a\x1bb=value\0")],
  ["a key twice", "DUPLICATE_KEY", raw("KEY=1\0OTHER=2\0KEY=3\0")],
  ["the same entry twice", "DUPLICATE_KEY", raw("KEY=1\0KEY=1\0")],
  ["an entry without an equals sign", "NO_EQUALS", raw("KEY\0")],
  ["a second entry without an equals sign", "NO_EQUALS", raw("KEY=1\0OTHER\0")],
  ["an entry without its NUL", "NOT_TERMINATED", raw("KEY=value")],
  ["a second entry without its NUL", "NOT_TERMINATED", raw("KEY=1\0OTHER=2")],
  ["a key cut off", "NOT_TERMINATED", raw("KEY=1\0OTH")],
  ["an entry behind an empty one", "NOT_ZERO_FILLED", raw("KEY=1\0\0OTHER=2\0")],
  ["an entry behind a NUL at the beginning", "NOT_ZERO_FILLED", raw("\0KEY=1\0")],
  ["a byte at the end of the zeroes", "NOT_ZERO_FILLED", withLastByte(page("KEY=1\0"))],
];

const unwritable: readonly (readonly [name: string, error: string, entries: readonly Entry[]])[] = [
  ["a value with a NUL inside", "NUL_IN_VALUE", [["KEY", "a\0b"]]],
  [
    "a value that is a NUL",
    "NUL_IN_VALUE",
    [
      ["A", "1"],
      ["KEY", "\0"],
    ],
  ],
  ["a key with an equals sign", "INVALID_KEY", [["A=B", "value"]]],
  ["a key with a NUL", "INVALID_KEY", [["A\0", "value"]]],
  ["a key with a line break", "INVALID_KEY", [["A\nB", "value"]]],
  ["no key", "INVALID_KEY", [["", "value"]]],
  [
    "a key twice",
    "DUPLICATE_KEY",
    [
      ["KEY", "1"],
      ["KEY", "2"],
    ],
  ],
];

const folder = join(import.meta.dirname, "../../formats/vectors/region");

mkdirSync(folder, { recursive: true });
const cases = [...valid.map(writeValid), ...refused.map(writeRefused)];
writeFileSync(
  join(folder, "cases.json"),
  `${JSON.stringify(
    {
      format: "the secret region",
      cases,
      unwritable: unwritable.map(([name, error, entries]) => ({
        name,
        entries: entries.map(toJson),
        error,
      })),
    },
    undefined,
    2,
  )}\n`,
);

function writeValid({ name, bytes, entries }: Valid) {
  const plain = entries.map(([key, value]) =>
    Buffer.concat([raw(`${key}=`), raw(value), raw("\0")]),
  );
  return {
    name,
    file: writeBytes(name, bytes ?? Buffer.concat(plain)),
    entries: entries.map(toJson),
  };
}

function writeRefused([name, error, bytes]: (typeof refused)[number]) {
  return { name, file: writeBytes(name, bytes), error };
}

function writeBytes(name: string, bytes: Uint8Array): string {
  const file = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.bin`;
  writeFileSync(join(folder, file), bytes);
  return file;
}

function toJson([key, value]: Entry) {
  return typeof value === "string"
    ? { key, value }
    : { key, valueHex: Buffer.from(value).toString("hex") };
}

/** An entry with a key of these bytes. */
function withKey(...key: readonly number[]): Uint8Array {
  return Uint8Array.of(...key, ...raw("=value\0"));
}

function raw(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

/** The texts, and zeroes to the end of the page. */
function page(...texts: readonly string[]): Uint8Array {
  const bytes = Buffer.concat(texts.map(raw));
  const padded = new Uint8Array(Math.ceil(bytes.length / PAGE_BYTES) * PAGE_BYTES);
  padded.set(bytes);
  return padded;
}

function withLastByte(bytes: Uint8Array): Uint8Array {
  bytes[bytes.length - 1] = 1;
  return bytes;
}
