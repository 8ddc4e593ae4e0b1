import type { InheritedRegion, InjectionPlan } from "../delivery-plan.ts";
import { readInitialStack, wordsWithoutSlots } from "./initial-stack.ts";
import {
  findSlots,
  type Offsets,
  offsetsOf,
  type PlacedGeneration,
  type Placement,
} from "./placement.ts";
import { isErrno, PreparationError, type StoppedProgram } from "./stopped-program.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MADV_DONTDUMP = 16;
// struct stat of stat(2) on 64-bit Linux: st_ino follows st_dev.
const STAT_INODE = 8;
// Below what the program's stack pointer shows, and inside of what the kernel mapped for it
// (setup_arg_pages of fs/exec.c makes room for 128 KiB).
const SCRATCH_BELOW_STACK = 1024;

/** What happens to the copies that a launcher made of the values. */
export type CopiesFor =
  /** Another launcher: it has the values in the region, and hands the descriptor on. */
  | "launcher"
  /** The last program: it has the values in the region, and no descriptor. */
  | "program"
  /** One that reads the region itself: it has the descriptor, and no values in its environment. */
  | "library";

/**
 * Points the placeholders of a new program at the entries of the region.
 *
 * @throws PreparationError
 */
export function placeSecrets(program: StoppedProgram, plan: InjectionPlan): Placement {
  const { region, firstSlot, offsets, follow } = plan;
  const stack = stackOf(program);
  if (stack.slots.length < firstSlot + offsets.length) {
    throw new PreparationError("the program's environment is not what it was started with");
  }
  const address = mapRegion(program, region);
  program.writeWords(
    stack.slotsAddress + 8 * firstSlot,
    offsets.map((offset) => BigInt(address + offset)),
  );
  if (!follow) closeRegion(program, region);
  return {
    slotsAddress: stack.slotsAddress,
    slotCount: stack.slots.length,
    regionAddress: address,
    ...firstGeneration(plan),
  };
}

/** What the plan says about where the entries are. */
export function firstGeneration({ variables, offsets }: InjectionPlan): PlacedGeneration {
  const places = variables.map((name, index) => [name, offsets[index] ?? 0] as const);
  return { generation: 0, offsets: Object.fromEntries(places) };
}

/** What became of the copies. */
export type Replacement =
  /** Without a placement the program points at none of them. */
  | { readonly kind: "replaced"; readonly placement: Placement | undefined }
  /** The launcher has closed the descriptor: the program is what it was. */
  | { readonly kind: "no descriptor" }
  /** The program may not lock that much memory (RLIMIT_MEMLOCK): it is what it was. */
  | { readonly kind: "no memory" };

/**
 * Points the variables of a program that a launcher has started at the entries of the region, where
 * they still are what the region holds, and wipes the copies that execve made of them.
 *
 * @throws PreparationError
 */
export function replaceCopies(
  program: StoppedProgram,
  region: InheritedRegion,
  options: CopyOptions,
): Replacement {
  if (!hasRegion(program, region)) return { kind: "no descriptor" };
  const address = tryToMap(program, region);
  if (address === undefined) return { kind: "no memory" };
  const end = address + region.lengthBytes;
  const placement = replaceIn(program, { region, address }, options);
  switch (options.copiesFor) {
    case "launcher":
      break;
    case "program":
      dropDescriptorVariable(program, region, options);
      closeRegion(program, region);
      break;
    case "library":
      dropSlots(program, (slot) => slot >= address && slot < end);
      program.call("munmap", address, region.lengthBytes);
      return { kind: "replaced", placement: undefined };
  }
  return { kind: "replaced", placement: currentIn(program, placement) };
}

interface MappedRegion {
  readonly region: InheritedRegion;
  readonly address: number;
}

/**
 * Points copies of what is current, and of what was there first, at what is current: a shell has copied
 * the values when it started, and means the variables.
 */
function replaceIn(
  program: StoppedProgram,
  { region, address }: MappedRegion,
  { code, slotsAddress, current, first }: CopyOptions,
): Placement {
  const slotBytes = region.slotBytes ?? region.lengthBytes;
  const { offsets } = current;
  const currentSlot = slotOf(slotBytes, offsets);
  for (const slot of new Set([currentSlot, 0])) {
    program.run(code, slotsAddress, address + slot, address + slot + slotBytes);
  }
  const { slots } = stackOf(program);
  const placement = { slotsAddress, slotCount: slots.length, regionAddress: address, ...current };
  if (currentSlot === 0) return placement;
  const copied = { ...placement, ...first };
  for (const slot of findSlots(copied, (at) => program.readWord(at))) {
    const offset = offsets[slot.variable];
    if (offset !== undefined) program.writeWords(slot.address, [BigInt(address + offset)]);
  }
  return placement;
}

/** Where the slot starts that the entries are in. */
function slotOf(slotBytes: number, offsets: Offsets): number {
  const [offset = 0] = Object.values(offsets);
  return offset - (offset % slotBytes);
}

/** A launcher may have changed some of the variables. */
function currentIn(program: StoppedProgram, placement: Placement): Placement {
  const found = findSlots(placement, (address) => program.readWord(address));
  return { ...placement, offsets: offsetsOf(found, placement.offsets) };
}

export interface CopyOptions {
  /** The routine of repoint-code.ts. */
  readonly code: Uint8Array;
  readonly copiesFor: CopiesFor;
  /** Where the first slot of envp is. */
  readonly slotsAddress: number;
  /** Where the entries are that are current, and where those are that were there first. */
  readonly current: PlacedGeneration;
  readonly first: PlacedGeneration;
}

/** A shell may close any descriptor, or give its number to another file. */
function hasRegion(program: StoppedProgram, { fd, inode }: InheritedRegion): boolean {
  const scratch = program.stackPointer - SCRATCH_BELOW_STACK;
  if (isErrno(program.call("fstat", fd, scratch))) return false;
  return Number(program.readWord(scratch + STAT_INODE)) === inode;
}

function mapRegion(program: StoppedProgram, region: InheritedRegion): number {
  const address = tryToMap(program, region);
  if (address === undefined) {
    throw new PreparationError(
      `${region.lengthBytes} bytes cannot be locked there (RLIMIT_MEMLOCK)`,
    );
  }
  return address;
}

/** Undefined where the program may not lock that much memory. */
function tryToMap(
  program: StoppedProgram,
  { fd, lengthBytes, kind, mustLock }: InheritedRegion,
): number | undefined {
  // Writable, as every program's environment is: some overwrite a password once they have read it.
  const address = program.call("mmap", 0, lengthBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (isErrno(address)) return undefined;
  if (kind === "memfd_secret") return address;
  // The courier has warned of it already: its limit is the program's.
  if (isErrno(program.call("mlock", address, lengthBytes)) && mustLock) {
    program.call("munmap", address, lengthBytes);
    return undefined;
  }
  expectSuccess("madvise", program.call("madvise", address, lengthBytes, MADV_DONTDUMP));
  return address;
}

function closeRegion(program: StoppedProgram, { fd }: InheritedRegion): void {
  expectSuccess("close", program.call("close", fd));
}

/** SVC_SECRET_FD was for the launcher; the program finds its environment without it. */
function dropDescriptorVariable(
  program: StoppedProgram,
  { fd }: InheritedRegion,
  { code, slotsAddress }: CopyOptions,
): void {
  const text = new TextEncoder().encode(`SVC_SECRET_FD=${fd}`);
  const words = new BigUint64Array(Math.ceil((text.length + 2) / 8));
  new Uint8Array(words.buffer).set(text);
  const scratch = program.stackPointer - SCRATCH_BELOW_STACK;
  program.writeWords(scratch, [...words]);
  program.run(code, slotsAddress, scratch, scratch + words.byteLength);
  program.writeWords(scratch, [...words.fill(0n)]);
  dropSlots(program, (slot) => slot === scratch);
}

function dropSlots(program: StoppedProgram, gone: (slot: number) => boolean): void {
  const stack = stackOf(program);
  if (stack.slots.some(gone)) {
    program.writeWords(stack.slotsAddress, wordsWithoutSlots(stack, gone));
  }
}

function stackOf(program: StoppedProgram) {
  return readInitialStack(program.stackPointer, (address) => program.readWord(address));
}

function expectSuccess(call: string, result: number): void {
  if (isErrno(result)) throw new PreparationError(`${call} in the program: errno ${-result}`);
}
