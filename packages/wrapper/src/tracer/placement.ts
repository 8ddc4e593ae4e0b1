/**
 * The pointers of a program's variables, and the data to change them. Pointers only: the
 * supervisor never reads their targets.
 */
export interface Placement {
  /** The address of envp's first slot when the program started, and how many there were. */
  readonly slotsAddress: number;
  readonly slotCount: number;
  /** The address at which the program has mapped the region. */
  readonly regionAddress: number;
  /** The target of each variable, as an offset in the region. */
  readonly offsets: Offsets;
  /** The generation that this is; 0 for the values at a program's start. */
  readonly generation: number;
}

/** The places of a generation's entries. */
export type PlacedGeneration = Pick<Placement, "generation" | "offsets">;

/** By variable: the offset of its entry, from the start of the region. */
export type Offsets = Readonly<Record<string, number>>;

/** A slot that holds the pointer of a variable. */
export interface PlacedSlot {
  readonly address: number;
  readonly variable: string;
}

const WORD_BYTES = 8;
// More are not environment: execve takes a few hundred thousand at most.
const MAX_SLOTS = 1 << 19;

/**
 * Finds the slots that still hold our pointers. It compares contents, not indexes, because unsetenv
 * moves the slots behind the one that it removes.
 */
export function findSlots(
  placement: Placement,
  readWord: (address: number) => bigint,
): readonly PlacedSlot[] {
  const { slotsAddress, slotCount, regionAddress, offsets } = placement;
  const variables = new Map(
    Object.entries(offsets).map(([variable, offset]) => [regionAddress + offset, variable]),
  );
  const found: PlacedSlot[] = [];
  for (let index = 0; index < Math.min(slotCount, MAX_SLOTS); index++) {
    const address = slotsAddress + WORD_BYTES * index;
    const pointer = Number(readWord(address));
    if (pointer === 0) break;
    const variable = variables.get(pointer);
    if (variable !== undefined) found.push({ address, variable });
  }
  return found;
}

/** The remaining offsets: those of the found variables. */
export function offsetsOf(slots: readonly PlacedSlot[], offsets: Offsets): Offsets {
  const variables = new Set(slots.map(({ variable }) => variable));
  return Object.fromEntries(Object.entries(offsets).filter(([name]) => variables.has(name)));
}
