import { readFileSync } from "node:fs";

const PLACE = "/sys/kernel/btf/vmlinux";

/** Number of bpf_rdonly_cast among the kernel's types, by which programs call it; 0 where it is not there (before Linux 6.2). */
export function readCastFunction(): number {
  try {
    return functionNumber(readFileSync(PLACE), "bpf_rdonly_cast");
  } catch {
    return 0;
  }
}

/** include/uapi/linux/btf.h: kinds of types, and how many bytes follow one of them, each time and for each of its parts. */
const KIND_FUNC = 12;
const bytesBehind: Readonly<Record<number, number>> = { 1: 4, 3: 12, 14: 4, 17: 4 };
const bytesOfPart: Readonly<Record<number, number>> = { 4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12 };
const TYPE_BYTES = 12;

/**
 * The number of a function in types as the kernel writes them; 0 where it has none of that name.
 *
 * @throws RangeError where they end too early
 */
export function functionNumber(types: Uint8Array, name: string): number {
  const view = new DataView(types.buffer, types.byteOffset, types.byteLength);
  const head = view.getUint32(4, true);
  const [typesAt, typesLength] = [head + view.getUint32(8, true), view.getUint32(12, true)];
  const namesAt = head + view.getUint32(16, true);
  const nameAt = Buffer.from(types.buffer, types.byteOffset, types.byteLength).indexOf(
    `\0${name}\0`,
    namesAt,
    "latin1",
  );
  if (nameAt < 0) return 0;
  const wanted = nameAt + 1 - namesAt;
  let at = typesAt;
  for (let number = 1; at < typesAt + typesLength; number += 1) {
    const info = view.getUint32(at + 4, true);
    const kind = (info >>> 24) & 31;
    if (kind === KIND_FUNC && view.getUint32(at, true) === wanted) return number;
    at += TYPE_BYTES + (bytesBehind[kind] ?? 0) + (info & 0xffff) * (bytesOfPart[kind] ?? 0);
  }
  return 0;
}
