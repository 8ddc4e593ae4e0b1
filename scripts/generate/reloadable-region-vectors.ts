/**
 * Writes formats/vectors/reloadable-region: `bun scripts/generate/reloadable-region-vectors.ts`.
 * The bytes are spelled here and not written by packages/protocol, so that a mistake there shows.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PAGE_BYTES = 4096;

type Entries = Readonly<Record<string, string>>;

interface Region {
  readonly generation: bigint;
  readonly slots: readonly string[];
  /** By default 4096. */
  readonly slotBytes?: number;
}

/** A region that begins with one entry, and has been written once and twice. */
const begun: Region = { generation: 0n, slots: ["KEY=first\0", ""] };
const writtenOnce: Region = { generation: 1n, slots: ["KEY=first\0", "KEY=the second\0"] };
const writtenTwice: Region = {
  generation: 2n,
  slots: ["KEY=first\0", "KEY=the second\0", "KEY=3\0"],
};
const writtenThrice: Region = {
  generation: 3n,
  slots: ["KEY=first\0", "KEY=4\0", "KEY=3\0"],
};

const valid: readonly (readonly [name: string, region: Region, entries: Entries])[] = [
  ["generation 0", begun, { KEY: "first" }],
  ["generation 1", writtenOnce, { KEY: "the second" }],
  ["generation 2", writtenTwice, { KEY: "3" }],
  ["generation 3", writtenThrice, { KEY: "4" }],
  [
    "a generation beyond 32 bits",
    { generation: 2n ** 32n + 1n, slots: ["KEY=old\0", "KEY=new\0"] },
    { KEY: "new" },
  ],
  [
    "one more key than before",
    { generation: 1n, slots: ["KEY=1\0", "KEY=1\0MORE=2\0"] },
    { KEY: "1", MORE: "2" },
  ],
  ["no entry", { generation: 0n, slots: ["", ""] }, {}],
  [
    "a slot that is half written",
    { generation: 1n, slots: ["KEY=first\0", "KEY=whole\0", "KEY=ha"] },
    { KEY: "whole" },
  ],
  [
    "a slot that a program has overwritten",
    { generation: 2n, slots: ["\0\0\0=\0", "\0", "KEY=whole\0"] },
    { KEY: "whole" },
  ],
  [
    "slots of three pages",
    {
      generation: 1n,
      slots: ["KEY=short\0", `KEY=${"x".repeat(9000)}\0`],
      slotBytes: 3 * PAGE_BYTES,
    },
    { KEY: "x".repeat(9000) },
  ],
  [
    "an entry that ends with its slot",
    { generation: 0n, slots: [`KEY=${"x".repeat(PAGE_BYTES - 5)}\0`, "KEY=other\0"] },
    { KEY: "x".repeat(PAGE_BYTES - 5) },
  ],
];

const refused: readonly (readonly [name: string, error: string, bytes: Uint8Array])[] = [
  ["a mark of another number", "BAD_TRAILER", changed(-1, 2)],
  ["something before the mark", "BAD_TRAILER", changed(-2, 1)],
  ["something behind the slot bytes", "BAD_TRAILER", changed(-16, 1)],
  ["slots of no bytes", "BAD_TRAILER", changed(-23, 0)],
  ["slots longer than the file", "BAD_TRAILER", changed(-23, 0x20)],
  ["slots that are not pages", "BAD_TRAILER", changed(-24, 1)],
  ["a mark in a page", "BAD_TRAILER", bytesOf(begun).slice(3 * PAGE_BYTES)],
  ["a page too many", "BAD_TRAILER", withPageBefore(bytesOf(begun))],
  ["a byte too many", "BAD_TRAILER", Uint8Array.of(0, ...bytesOf(begun))],
  ["a key with a line feed", "INVALID_KEY", inSlot("KEY\n=value\0")],
  ["a key twice", "DUPLICATE_KEY", inSlot("KEY=1\0KEY=2\0")],
  ["an entry without an equals sign", "NO_EQUALS", inSlot("KEY\0")],
  ["an entry behind an empty one", "NOT_ZERO_FILLED", inSlot("KEY=1\0\0OTHER=2\0")],
  ["an entry that leaves its slot", "NOT_TERMINATED", inSlot(`KEY=${"x".repeat(PAGE_BYTES - 4)}`)],
];

interface Step {
  readonly name: string;
  readonly from: Region;
  readonly required: readonly string[];
  readonly pointedAt?: number;
  readonly entries: Entries;
  /** The content after that, or the reason why nothing is written. */
  readonly result: Region | string;
}

const steps: readonly Step[] = [
  {
    name: "the first of them",
    from: begun,
    required: ["KEY"],
    entries: { KEY: "the second" },
    result: writtenOnce,
  },
  {
    name: "the second of them",
    from: writtenOnce,
    required: ["KEY"],
    entries: { KEY: "3" },
    result: writtenTwice,
  },
  {
    name: "one over a longer one",
    from: writtenTwice,
    required: ["KEY"],
    entries: { KEY: "4" },
    result: writtenThrice,
  },
  {
    name: "one more key",
    from: { generation: 0n, slots: ["KEY=1\0", ""] },
    required: ["KEY"],
    entries: { KEY: "1", MORE: "2" },
    result: { generation: 1n, slots: ["KEY=1\0", "KEY=1\0MORE=2\0"] },
  },
  {
    name: "without a key that was not required",
    from: { generation: 1n, slots: ["KEY=1\0", "KEY=1\0MORE=2\0"] },
    required: ["KEY"],
    entries: { KEY: "3" },
    result: { generation: 2n, slots: ["KEY=1\0", "KEY=1\0MORE=2\0", "KEY=3\0"] },
  },
  {
    name: "one that fills its slot",
    from: begun,
    required: ["KEY"],
    entries: { KEY: "x".repeat(PAGE_BYTES - 5) },
    result: { generation: 1n, slots: ["KEY=first\0", `KEY=${"x".repeat(PAGE_BYTES - 5)}\0`] },
  },
  {
    name: "an entry behind one that is pointed at",
    from: writtenOnce,
    required: ["KEY"],
    pointedAt: 1,
    entries: { KEY: "3" },
    result: writtenTwice,
  },
  {
    name: "one that was written already",
    from: writtenTwice,
    required: ["KEY"],
    pointedAt: 1,
    entries: { KEY: "3" },
    result: writtenTwice,
  },
  {
    name: "an entry behind another without a pointer",
    from: writtenTwice,
    required: ["KEY"],
    pointedAt: 1,
    entries: { KEY: "4" },
    result: "BEHIND",
  },
  {
    name: "an entry that begins like another without a pointer",
    from: { generation: 2n, slots: ["KEY=1\0", "KEY=1\0", "KEY=1\0MORE=2\0"] },
    required: ["KEY"],
    pointedAt: 1,
    entries: { KEY: "1" },
    result: "BEHIND",
  },
  {
    name: "one behind another while generation 0 is pointed at",
    from: writtenOnce,
    required: ["KEY"],
    pointedAt: 0,
    entries: { KEY: "3" },
    result: writtenTwice,
  },
  {
    name: "one that does not fit",
    from: begun,
    required: ["KEY"],
    entries: { KEY: "x".repeat(PAGE_BYTES - 4) },
    result: "TOO_LARGE",
  },
  {
    name: "without a required key",
    from: begun,
    required: ["KEY"],
    entries: { OTHER: "1" },
    result: "KEY_REMOVED",
  },
  {
    name: "with a malformed key",
    from: begun,
    required: ["KEY"],
    entries: { KEY: "1", "A=B": "2" },
    result: "INVALID_KEY",
  },
];

const folder = join(import.meta.dirname, "../../formats/vectors/reloadable-region");

mkdirSync(folder, { recursive: true });
const cases = [
  ...valid.map(([name, region, entries]) => ({
    name,
    file: writeBytes(name, bytesOf(region)),
    generation: Number(region.generation),
    entries: listOf(entries),
  })),
  ...refused.map(([name, error, bytes]) => ({ name, file: writeBytes(name, bytes), error })),
];
const next = steps.map(({ name, from, required, pointedAt, entries, result }) => ({
  name,
  from: writeBytes(`${name} before`, bytesOf(from)),
  required,
  ...(pointedAt === undefined ? {} : { pointedAt }),
  entries: listOf(entries),
  ...(typeof result === "string"
    ? { error: result }
    : { file: writeBytes(`${name} after`, bytesOf(result)) }),
}));
writeFileSync(
  join(folder, "cases.json"),
  `${JSON.stringify({ format: "the reloadable secret region", cases, next }, undefined, 2)}\n`,
);

function bytesOf({ generation, slots, slotBytes = PAGE_BYTES }: Region): Uint8Array {
  const bytes = new Uint8Array(3 * slotBytes + PAGE_BYTES);
  for (const [index, text] of slots.entries()) {
    bytes.set(new TextEncoder().encode(text), index * slotBytes);
  }
  const trailer = new DataView(bytes.buffer, bytes.length - 32);
  trailer.setBigUint64(0, generation, true);
  trailer.setBigUint64(8, BigInt(slotBytes), true);
  trailer.setUint8(31, 1);
  return bytes;
}

/** The first region with another byte, counted from its end. */
function changed(at: number, byte: number): Uint8Array {
  const bytes = bytesOf(begun);
  bytes[bytes.length + at] = byte;
  return bytes;
}

function withPageBefore(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([...new Uint8Array(PAGE_BYTES), ...bytes]);
}

/** In the current slot; a reader does not look at the other one. */
function inSlot(text: string): Uint8Array {
  return bytesOf({ generation: 1n, slots: ["KEY=first\0", text, "KEY=before\0"] });
}

function writeBytes(name: string, bytes: Uint8Array): string {
  const file = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.bin`;
  writeFileSync(join(folder, file), bytes);
  return file;
}

function listOf(entries: Entries) {
  return Object.entries(entries).map(([key, value]) => ({ key, value }));
}
