import type { InheritedRegion, InjectionPlan } from "../delivery-plan.ts";
import { followingTraits } from "../program/following-traits.ts";
import { readInitialStack } from "./initial-stack.ts";
import type { PlacedGeneration, Placement } from "./placement.ts";
import { isErrno, PreparationError, type StoppedProgram } from "./stopped-program.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MADV_DONTDUMP = 16;

/**
 * Points the placeholders of a new program at the entries of the region.
 *
 * @throws PreparationError
 */
export function placeSecrets(program: StoppedProgram, plan: InjectionPlan): Placement {
  const { region, firstSlot, offsets, follow } = plan;
  const stack = stackOf(program);
  if (stack.slots.length < firstSlot + offsets.length) {
    throw new PreparationError("the program's environment differs from its start");
  }
  const address = mapRegion(program, region);
  program.writeWords(
    stack.slotsAddress + 8 * firstSlot,
    offsets.map((offset) => BigInt(address + offset)),
  );
  if (!followingTraits[follow].staysTraced) closeRegion(program, region);
  return {
    slotsAddress: stack.slotsAddress,
    slotCount: stack.slots.length,
    regionAddress: address,
    ...firstGeneration(plan),
  };
}

/** The positions of the entries, from the plan. */
export function firstGeneration({ variables, offsets }: InjectionPlan): PlacedGeneration {
  const places = variables.map((name, index) => [name, offsets[index] ?? 0] as const);
  return { generation: 0, offsets: Object.fromEntries(places) };
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

/** Undefined if the program may not lock that much memory. */
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

function stackOf(program: StoppedProgram) {
  return readInitialStack(program.stackPointer, (address) => program.readWord(address));
}

function expectSuccess(call: string, result: number): void {
  if (isErrno(result)) throw new PreparationError(`${call} in the program: errno ${-result}`);
}
