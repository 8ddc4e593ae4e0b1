import { givenArguments } from "#native";
import { readWholeFile } from "../files/files.ts";

// execve(2) allows a quarter of the stack limit; a stack of 4 GiB is unusual.
const MAX_BYTES = 1 << 30;

/** This process's argv to the byte; `process.argv` would replace bytes that are not UTF-8. */
export function argumentVector(): readonly Uint8Array[] {
  const given = givenArguments();
  if (given !== undefined) return given;
  const bytes = readWholeFile("/proc/self/cmdline", MAX_BYTES);
  const words: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    words.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return words;
}
