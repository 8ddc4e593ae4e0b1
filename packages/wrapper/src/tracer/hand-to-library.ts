import type { InheritedRegion } from "../delivery-plan.ts";
import { readInitialStack, wordsWithoutSlots } from "./initial-stack.ts";
import type { Prepared } from "./preparing.ts";
import type { RegisterLayout } from "./register-layout.ts";
import { isErrno, PreparationError, StoppedProgram } from "./stopped-program.ts";

const PAGE_BYTES = 4096;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;

export interface HandingOptions {
  readonly layout: RegisterLayout;
  readonly region: InheritedRegion;
  /** True if the program's environment has SVC_SECRET_FD already. */
  readonly hasVariable: boolean;
}

/**
 * Takes the values out of the environment of a program that reads the region itself, and tells it
 * the descriptor. The program stands at its first instruction, with its variables in the region.
 *
 * @throws PreparationError
 */
export function handToLibrary(
  pid: number,
  { address, slots, fd }: Extract<Prepared, { readonly kind: "prepared" }>,
  { layout, region, hasVariable }: HandingOptions,
): void {
  const program = StoppedProgram.atFirstInstruction(pid, layout);
  const end = address + region.lengthBytes;
  const { slotsAddress } = slots();
  const stack = readInitialStack(program.stackPointer, (at) => program.readWord(at));
  const isValue = (slot: number) => slot >= address && slot < end;
  const first = stack.slots.findIndex(isValue);
  if (first >= 0 && !hasVariable) {
    const text = placeText(program, `SVC_SECRET_FD=${fd}`);
    program.writeWords(slotsAddress + 8 * first, [BigInt(text)]);
  } else if (!hasVariable) program.call("close", fd);
  const now = readInitialStack(program.stackPointer, (at) => program.readWord(at));
  if (now.slots.some(isValue)) program.writeWords(slotsAddress, wordsWithoutSlots(now, isValue));
  program.call("munmap", address, region.lengthBytes);
  program.restore();
}

/** On a separate page: a text on the stack would overwrite the program's data. */
function placeText(program: StoppedProgram, text: string): number {
  const flags = MAP_PRIVATE_ANONYMOUS;
  const page = program.call("mmap", 0, PAGE_BYTES, PROT_READ_WRITE, flags, -1, 0);
  if (isErrno(page)) throw new PreparationError(`mmap in the program: errno ${-page}`);
  const bytes = new TextEncoder().encode(text);
  const words = new BigUint64Array(Math.ceil((bytes.length + 1) / 8));
  new Uint8Array(words.buffer).set(bytes);
  program.writeWords(page, [...words]);
  return page;
}
