import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";

const CLOCK_MONOTONIC = 1;

/**
 * CLOCK_MONOTONIC in microseconds, the same count in every process; clock_gettime(2). The runtime's
 * own clocks count from the start of the process.
 */
export function monotonicMicroseconds(): bigint {
  const time = new BigInt64Array(2);
  checked("clock_gettime", libc.clock_gettime(CLOCK_MONOTONIC, time));
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000n + nanoseconds / 1000n;
}
