import { readFileSync } from "node:fs";

/** A line of /proc/self/status, without its name; proc_pid_status(5). */
export function statusLine(name: string): string {
  const status = readFileSync("/proc/self/status", "utf8");
  return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
}

/** The signals of a mask such as SigBlk, by number. */
export function signalsIn(name: string): readonly number[] {
  const mask = BigInt(`0x${statusLine(name)}`);
  return Array.from({ length: 64 }, (_, index) => index + 1).filter(
    (signal) => (mask >> BigInt(signal - 1)) & 1n,
  );
}
