import { type MapOptions, mapSecretMemory, type SecretMemory } from "@svc/kernel";
import { writeNextGeneration } from "@svc/protocol";
import type { SecretEntry } from "./delivery.ts";
import { mapOrExplain, regionEntries } from "./secret-region.ts";

/** A region that a running program reads. */
export interface ReloadableMemory extends SecretMemory {
  readonly lengthBytes: number;
}

/** The state of a running program's region. It has no secret, because it goes to the supervisor. */
export interface NewGeneration {
  readonly generation: number;
  /** The offset of each variable's entry, from the start of the region. */
  readonly offsets: Readonly<Record<string, number>>;
}

export interface GenerationOptions {
  /**
   * The generation that the supervisor has pointed the program at (`inject`); by default 0. A
   * courier that was killed may have written another one, of which nothing is known: if that has
   * the same entries it is the one returned.
   */
  readonly pointedAt?: number;
  /** The treatment of pages that cannot be locked; an error by default. */
  readonly lock?: MapOptions;
}

/**
 * Writes the next generation into the region of a running program and makes it current. The
 * program's own pointers still lead to the one before.
 *
 * @param required the variables that the program was started with.
 * @throws RegionFormatError `KEY_REMOVED`, `TOO_LARGE` or `BEHIND` if only a new start of the
 * program can
 * bring the entries, `BAD_TRAILER` if the program has overwritten it.
 * @throws WrapperError `MEMORY_LOCK_LIMIT`
 */
export function writeGeneration(
  memory: ReloadableMemory,
  entries: readonly SecretEntry[],
  required: readonly string[],
  { pointedAt, lock }: GenerationOptions = {},
): NewGeneration {
  const { lengthBytes } = memory;
  const mapping = mapOrExplain(lengthBytes, () => mapSecretMemory(memory, lengthBytes, lock));
  try {
    const ordered = inOrder(entries, required);
    const { generation, offsets } = writeNextGeneration(mapping.bytes, regionEntries(ordered), {
      required,
      pointedAt,
    });
    const places = ordered.map(({ variable }, index) => [variable, offsets[index] ?? 0] as const);
    return { generation, offsets: Object.fromEntries(places) };
  } finally {
    mapping.unmap();
  }
}

/**
 * The order of generation 0, and new values after it. Values that keep their lengths keep their
 * places, so that a pointer that the program has kept for too long still leads to the start of its
 * variable.
 */
function inOrder(
  entries: readonly SecretEntry[],
  required: readonly string[],
): readonly SecretEntry[] {
  const rank = new Map(required.map((variable, index) => [variable, index]));
  const rankOf = ({ variable }: SecretEntry) => rank.get(variable) ?? required.length;
  return entries.toSorted((a, b) => rankOf(a) - rankOf(b));
}
