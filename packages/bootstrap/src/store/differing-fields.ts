import type { OpenedJson, StoredFields, WrittenFields } from "@svc/vault";

/**
 * The wanted fields that the store has otherwise, in the store's own terms. Durations are numbers
 * of seconds. Lists are sets to it: neither order nor repetition counts.
 */
export function differingFields(present: StoredFields, wanted: WrittenFields): WrittenFields {
  const differing = Object.entries(wanted).filter(([name, value]) => !same(present[name], value));
  return Object.fromEntries(differing);
}

function same(present: OpenedJson | undefined, wanted: WrittenFields[string]): boolean {
  if (Array.isArray(wanted)) return sameSet(present ?? [], wanted);
  return present === wanted;
}

function sameSet(present: OpenedJson, wanted: readonly string[]): boolean {
  if (!Array.isArray(present)) return false;
  const [one, other] = [new Set<OpenedJson>(present), new Set<OpenedJson>(wanted)];
  return one.size === other.size && one.isSubsetOf(other);
}
