import { memoryLockLimit, type SecretMemoryKind, SyscallError, sizeAndMap } from "@svc/kernel";
import { regionLength, writeRegion } from "@svc/protocol";
import { failure, WrapperError } from "../errors.ts";
import type { FilledRegion, SecretEntry } from "./delivery.ts";

const PAGE_BYTES = 4096;

/**
 * Sizes the region and writes the entries. A memfd_secret is sized once only, so this is the last
 * thing that can be refused for the size of the secrets.
 *
 * @throws WrapperError `MEMORY_LOCK_LIMIT` with the number of bytes that are needed.
 */
export function fillRegion(
  kind: SecretMemoryKind,
  fd: number,
  entries: readonly SecretEntry[],
): FilledRegion {
  const encoder = new TextEncoder();
  const encoded = entries.map(({ variable, value }) => ({
    key: variable,
    value: encoder.encode(value),
  }));
  const lengthBytes = Math.ceil(regionLength(encoded) / PAGE_BYTES) * PAGE_BYTES;
  const mapping = mapRegion(kind, fd, lengthBytes);
  const offsets = writeRegion(encoded, mapping.bytes);
  for (const { value } of encoded) value.fill(0);
  const addresses = offsets.map((offset) => mapping.address + offset);
  return { fd, addresses, offsets, lengthBytes };
}

function mapRegion(kind: SecretMemoryKind, fd: number, lengthBytes: number) {
  try {
    return sizeAndMap({ fd, kind }, lengthBytes);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const limit = memoryLockLimit();
    const message = `protect secrets: ${error.message}: they need ${lengthBytes} bytes of locked memory, RLIMIT_MEMLOCK is ${limit} bytes`;
    throw new WrapperError([failure("MEMORY_LOCK_LIMIT", message)], error);
  }
}
