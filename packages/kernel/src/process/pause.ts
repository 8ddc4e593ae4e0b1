import { libc } from "#native";

/** Holds this thread for a number of milliseconds, and with it everything that it does; poll(2). */
export function pause(ms: number): void {
  libc.poll(null, 0, ms);
}
