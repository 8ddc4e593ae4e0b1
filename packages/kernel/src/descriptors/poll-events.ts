import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";

const POLLIN = 1;
const POLLERR = 8;
const POLLHUP = 16;

/**
 * Whether a descriptor can be read, or has ended; poll(2).
 *
 * @param limitMs how long it waits for that; by default 0.
 */
export function pollEvents(fd: number, limitMs = 0): "readable" | "ended" | "none" {
  const entry = new DataView(new ArrayBuffer(8));
  entry.setInt32(0, fd, true);
  entry.setInt16(4, POLLIN, true);
  const bytes = new Uint8Array(entry.buffer);
  checked("poll", libc.poll(bytes, 1, limitMs));
  const found = entry.getInt16(6, true);
  if ((found & POLLIN) !== 0) return "readable";
  return (found & (POLLHUP | POLLERR)) !== 0 ? "ended" : "none";
}
