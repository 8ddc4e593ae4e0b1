import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";

const CLOCK_MONOTONIC = 1;
const CLOCK_BOOTTIME = 7;

/**
 * Nanoseconds since boot, suspended time included: bpf_ktime_get_boot_ns of BPF programs;
 * clock_gettime(2).
 */
export function bootNanoseconds(): bigint {
  return nanosecondsOf(CLOCK_BOOTTIME);
}

/**
 * Nanoseconds since boot without suspended time: bpf_ktime_get_ns of BPF programs;
 * clock_gettime(2).
 */
export function monotonicNanoseconds(): bigint {
  return nanosecondsOf(CLOCK_MONOTONIC);
}

function nanosecondsOf(clock: number): bigint {
  const time = new BigInt64Array(2);
  checked("clock_gettime", libc.clock_gettime(clock, time));
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000_000n + nanoseconds;
}
