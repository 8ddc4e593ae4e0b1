import { bytesAt } from "#native";
import { readWholeFile } from "./files.ts";

const MAX_MAPS_BYTES = 1 << 20;
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m;

/**
 * The code that the kernel maps into every program, as this process has it; vdso(7). Undefined where
 * the kernel maps none.
 */
export function readVdso(): Uint8Array | undefined {
  const maps = new TextDecoder().decode(readWholeFile("/proc/self/maps", MAX_MAPS_BYTES));
  const [, start, end] = MAPPING.exec(maps) ?? [];
  if (start === undefined || end === undefined) return undefined;
  const address = Number.parseInt(start, 16);
  return bytesAt(address, Number.parseInt(end, 16) - address).slice();
}
