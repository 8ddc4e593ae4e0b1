import type { ProgramNames } from "../program/launchers.ts";
import { executedPathAddress, type InitialStack, type ReadWord } from "./initial-stack.ts";
import { readCString, wordBytes } from "./read-c-string.ts";

const WORD_BYTES = 8;
const MAX_NAME_BYTES = 4096;

/**
 * Reads what a new program is called by: the path that was executed and its first two arguments, and
 * not a byte of the variables that lie between them.
 */
export function readProgramNames(stack: InitialStack, read: ReadWord): ProgramNames {
  const path = executedPathAddress(stack);
  const [first, second, third] = [...stack.argv, stack.slots[0]];
  const argv = [argument(first, second, read), argument(second, third, read)];
  return {
    // The last string of the stack: the kernel keeps a zero word behind it.
    executed: path === undefined ? "" : readCString(path, read),
    argv: argv.slice(0, stack.argv.length).filter((word) => word !== undefined),
  };
}

/** The kernel lays arguments and variables one behind the other; the next one's start ends this one. */
function argument(
  start: number | undefined,
  next: number | undefined,
  read: ReadWord,
): string | undefined {
  if (start === undefined || next === undefined) return undefined;
  const length = next - start - 1;
  if (length < 0 || length > MAX_NAME_BYTES) return undefined;
  const bytes = new Uint8Array(length);
  // Words that end where the argument ends: what follows it may be a variable's value.
  for (let end = length; end > 0; end -= WORD_BYTES) {
    const word = wordBytes(read(start + end - WORD_BYTES));
    const from = Math.max(0, end - WORD_BYTES);
    bytes.set(word.subarray(WORD_BYTES - (end - from)), from);
  }
  return new TextDecoder().decode(bytes);
}
