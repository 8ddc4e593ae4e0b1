// Prints its environment; wipes the entries that are called as its arguments say, and prints what
// /proc/self/environ and a copy of the value show then.
import { readFileSync } from "node:fs";
import {
  copyValue,
  createPlainMemory,
  environmentEntries,
  sizeAndMap,
  valueBytes,
  wipeEntry,
} from "../src/index.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const found = environmentEntries();
const entries = found.map((entry) => ({ name: entry.name, value: hex(valueBytes(entry)) }));
const copies = found
  .filter(({ name }) => process.argv.includes(name))
  .map((entry) => {
    const { address, bytes } = sizeAndMap(createPlainMemory("copy"), 64);
    copyValue(entry, address);
    wipeEntry(entry);
    return hex(bytes.subarray(0, entry.length - entry.valueOffset));
  });
const block = hex(readFileSync("/proc/self/environ"));
process.stdout.write(JSON.stringify({ entries, copies, block }));
