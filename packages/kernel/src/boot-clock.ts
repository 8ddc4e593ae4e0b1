import { libc } from "./libc.ts";
import { checked } from "./syscall-error.ts";

const CLOCK_BOOTTIME = 7;

/** Nanoseconds since boot, suspended time included: the clock of BPF programs; clock_gettime(2). */
export function bootNanoseconds(): bigint {
  const time = new BigInt64Array(2);
  checked("clock_gettime", libc.clock_gettime(CLOCK_BOOTTIME, time));
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000_000n + nanoseconds;
}
