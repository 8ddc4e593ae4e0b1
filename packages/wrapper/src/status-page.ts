import { readAt, writeAt } from "@svc/kernel";

const NUMBER_BYTES = 8;
const MAX_TEXT_BYTES = 256 * 1024;
const SLOT_BYTES = NUMBER_BYTES + MAX_TEXT_BYTES;

/**
 * The supervisor's metrics for a gatekeeper, which serves the port while the wrapper is sealed: a memfd
 * with the number of the newest text, and two slots, each a length and a text. What is read is whole: the
 * slot that is read is not the one that is written.
 */
export class StatusPage {
  readonly #fd: number;
  #number = 0n;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text).subarray(0, MAX_TEXT_BYTES);
    const next = this.#number + 1n;
    writeAt(this.#fd, numberBytes(BigInt(bytes.length)), slotStart(next));
    writeAt(this.#fd, bytes, slotStart(next) + NUMBER_BYTES);
    writeAt(this.#fd, numberBytes(next), 0);
    this.#number = next;
  }
}

/** The newest text; empty where there is none. */
export function readStatusPage(fd: number): string {
  const number = readNumber(fd, 0);
  if (number === 0n) return "";
  const start = slotStart(number);
  const text = new Uint8Array(Number(readNumber(fd, start)));
  readAt(fd, text, start + NUMBER_BYTES);
  return new TextDecoder().decode(text);
}

function slotStart(number: bigint): number {
  return NUMBER_BYTES + Number(number % 2n) * SLOT_BYTES;
}

function readNumber(fd: number, position: number): bigint {
  const bytes = new Uint8Array(NUMBER_BYTES);
  readAt(fd, bytes, position);
  return new DataView(bytes.buffer).getBigUint64(0, true);
}

function numberBytes(number: bigint): Uint8Array {
  const bytes = new Uint8Array(NUMBER_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, number, true);
  return bytes;
}
