const WORD_BYTES = 8;
const AT_NULL = 0;
const AT_EXECFN = 31;
// A program has at most a few hundred thousand arguments and variables (execve(2) limits their
// bytes); more means that this is not an initial stack.
const MAX_POINTERS = 1 << 20;

/** Reads the word at an address. */
export type ReadWord = (address: number) => bigint;

/**
 * The kernel's data at the stack pointer of a new program: argc, argv, NULL, envp, NULL, and the
 * auxiliary vector (x86-64 psABI 3.4.1, getauxval(3)). Pointers only: their targets may be
 * secret and are not read.
 */
export interface InitialStack {
  readonly argv: readonly number[];
  /** The address of envp's first slot. */
  readonly slotsAddress: number;
  /** The address of each variable's string, in the order of envp. */
  readonly slots: readonly number[];
  /** The words of the auxiliary vector, its end included. */
  readonly auxiliary: readonly bigint[];
}

/** Reads it, word by word and no further than its end. */
export function readInitialStack(stackPointer: number, read: ReadWord): InitialStack {
  const argc = Number(read(stackPointer));
  if (argc > MAX_POINTERS) throw new RangeError("not an initial stack: too many arguments");
  const argv = pointersFrom(stackPointer + WORD_BYTES, read);
  const slotsAddress = stackPointer + WORD_BYTES * (argv.length + 2);
  const slots = pointersFrom(slotsAddress, read);
  const auxiliaryAddress = slotsAddress + WORD_BYTES * (slots.length + 1);
  return { argv, slotsAddress, slots, auxiliary: auxiliaryFrom(auxiliaryAddress, read) };
}

/** The address of the path that was given to execve: for a script, the script's. */
export function executedPathAddress({ auxiliary }: InitialStack): number | undefined {
  for (let index = 0; index < auxiliary.length; index += 2) {
    if (Number(auxiliary[index]) === AT_EXECFN) return Number(auxiliary[index + 1]);
  }
  return undefined;
}

/**
 * The words that stand from the first slot on once some slots are gone: the auxiliary vector
 * follows the variables directly, so it moves up with them.
 */
export function wordsWithoutSlots(
  { slots, auxiliary }: InitialStack,
  gone: (address: number) => boolean,
): readonly bigint[] {
  const kept = slots.filter((address) => !gone(address));
  const padding = new Array<bigint>(slots.length - kept.length).fill(0n);
  return [...kept.map(BigInt), 0n, ...auxiliary, ...padding];
}

function pointersFrom(start: number, read: ReadWord): readonly number[] {
  const pointers: number[] = [];
  for (let at = start; pointers.length <= MAX_POINTERS; at += WORD_BYTES) {
    const pointer = Number(read(at));
    if (pointer === 0) return pointers;
    pointers.push(pointer);
  }
  throw new RangeError("not an initial stack: too many pointers");
}

function auxiliaryFrom(start: number, read: ReadWord): readonly bigint[] {
  const words: bigint[] = [];
  for (let at = start; words.length <= MAX_POINTERS; at += 2 * WORD_BYTES) {
    const kind = read(at);
    words.push(kind, read(at + WORD_BYTES));
    if (Number(kind) === AT_NULL) return words;
  }
  throw new RangeError("not an initial stack: no end");
}
