import { readAt, writeAt } from "@svc/kernel";
import type { Readiness } from "../health/readiness.ts";

const NUMBER_BYTES = 8;
const MAX_TEXT_BYTES = 256 * 1024;
const SLOT_BYTES = NUMBER_BYTES + MAX_TEXT_BYTES;

/** An unseal server's answers to probes and Prometheus. */
export interface PublishedStatus {
  readonly readiness: Readiness;
  /** Prometheus text. */
  readonly metrics: string;
}

/**
 * The supervisor's status for an unseal server, which serves the port while the wrapper is sealed.
 * It is a memfd with the number of the newest text, and two slots, each a length and a text of
 * JSON. A reader gets a
 * whole text: the slot that is read is not the one that is written.
 */
export class StatusPage {
  readonly #fd: number;
  #number = 0n;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** A status that is too long leaves the one before. */
  write(status: PublishedStatus): void {
    const bytes = new TextEncoder().encode(JSON.stringify(status));
    if (bytes.length > MAX_TEXT_BYTES) return;
    const next = this.#number + 1n;
    writeAt(this.#fd, numberBytes(BigInt(bytes.length)), slotStart(next));
    writeAt(this.#fd, bytes, slotStart(next) + NUMBER_BYTES);
    writeAt(this.#fd, numberBytes(next), 0);
    this.#number = next;
  }
}

/** The newest status; undefined if there is none. */
export function readStatusPage(fd: number): PublishedStatus | undefined {
  const number = readNumber(fd, 0);
  if (number === 0n) return undefined;
  const start = slotStart(number);
  const text = new Uint8Array(Number(readNumber(fd, start)));
  readAt(fd, text, start + NUMBER_BYTES);
  // Written by this program's own supervisor with StatusPage.
  return JSON.parse(new TextDecoder().decode(text)) as PublishedStatus;
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
