import type { SweepPoint } from "./sweep-point.ts";

/** Points that are not as they should be, with the reason. */
interface KnownGap {
  readonly of: string;
  /** The errors of a call, or nothing for all of them. */
  readonly errors?: readonly string[];
  /** The values of a limit below this one. */
  readonly below?: number;
  readonly why: string;
}

const MIB = 2 ** 20;

/** A row that no point needs any more is to be deleted: the sweep of all points finds it. */
export const knownGaps: readonly KnownGap[] = [
  { of: "read", errors: ["EAGAIN"], why: "a signal that cannot be read never arrives" },
  {
    of: process.arch === "arm64" ? "epoll_pwait" : "epoll_wait",
    why: "the event loop's library panics",
  },
  { of: "getrandom", errors: ["ENOMEM", "EAGAIN"], why: "Rust's hash tables panic" },
  { of: "futex", why: "the C library aborts" },
  { of: "data", below: 3 * MIB, why: "memory runs out in the middle of the script" },
  { of: "as", below: 14 * MIB, why: "as with data" },
];

/** The row for a point; undefined if it has to be as it should. */
export function knownGapOf({ of, name, limit }: SweepPoint): KnownGap | undefined {
  return knownGaps.find(
    (gap) =>
      gap.of === of &&
      (gap.errors?.some((error) => name.includes(error)) ?? true) &&
      (limit === undefined || gap.below === undefined || limit < gap.below),
  );
}
