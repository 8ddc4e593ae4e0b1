import { architecture, libc } from "#native";

// The table of functions has none of that name: one start calls it once.
const SYS_SCHED_YIELD = architecture === "arm64" ? 124 : 24;

/** Lets other processes that wait for this processor run first; sched_yield(2). It cannot fail. */
export function yieldProcessor(): void {
  libc.syscall(SYS_SCHED_YIELD, 0, 0, 0, 0, 0, 0);
}
