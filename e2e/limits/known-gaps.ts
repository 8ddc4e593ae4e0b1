import type { SweepPoint } from "./sweep-point.ts";

/** Points that are not as they should be, with the reason. */
interface KnownGap {
  readonly of: string;
  /** The errors of a call, or nothing for all of them. */
  readonly errors?: readonly string[];
  readonly why: string;
  /** The sweep of all points may pass without it. By default false. */
  readonly isRare?: boolean;
}

/** A row that no point needs any more is to be deleted: the sweep of all points finds it. */
export const knownGaps: readonly KnownGap[] = [
  { of: "read", errors: ["EAGAIN"], why: "a signal that cannot be read never arrives" },
  { of: "futex", why: "the C library aborts, in builds for debugging", isRare: true },
];

/** The row for a point; undefined if it has to be as it should. */
export function knownGapOf({ of, name }: SweepPoint): KnownGap | undefined {
  return knownGaps.find(
    (gap) => gap.of === of && (gap.errors?.some((error) => name.includes(error)) ?? true),
  );
}
