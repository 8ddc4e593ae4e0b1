import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { readMark, writeMark } from "./acked-mark.ts";
import { lockFolder, unusableSpool } from "./lock-folder.ts";
import { readSegment } from "./read-segment.ts";
import { encodeRecord, HEADER_BYTES } from "./record-format.ts";
import {
  listSegments,
  type SegmentFile,
  segmentPath,
  syncFile,
  syncFolder,
  syncPath,
} from "./spool-files.ts";
import { writeWhole } from "./write-whole.ts";

/** How a spool is kept. */
export interface SpoolOptions {
  /** Its own; made where it is not there. */
  readonly folder: string;
  /** Of everything; 64 MiB unless told. The oldest goes first. */
  readonly mostBytes?: number;
  /** Of one file; an eighth of that, and at most 1 MiB, unless told. */
  readonly segmentBytes?: number;
}

/** Records that wait for the platform, the oldest first. */
export interface SpoolBatch {
  readonly contents: readonly Uint8Array[];
  /** The number of the record behind the last one. */
  readonly next: number;
}

/** What a spool has, and what it has lost. */
export interface SpoolCounts {
  /** Records that wait. */
  readonly waiting: number;
  /** On the disk. */
  readonly bytes: number;
  /** Records that were given up for newer ones since it was opened. */
  readonly evicted: number;
  /** Records that the disk did not take. */
  readonly refused: number;
  /** Bytes that were no records when it was opened. */
  readonly damagedBytes: number;
}

interface Segment extends SegmentFile {
  /** Records in it. */
  count: number;
  bytes: number;
}

const MIB = 1024 * 1024;

/**
 * Keeps records on the disk until they are acknowledged: over restarts, and over a power cut as far as `sync` was called. It
 * reads nothing into memory but what is asked for. One process at a time.
 */
export class Spool {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #segmentBytes: number;
  readonly #lock: number;
  /** The oldest first; the last one is written to while `#fd` is open. */
  readonly #segments: Segment[] = [];
  #fd: number | undefined;
  #isDirty = false;
  /** The number of the next record. */
  #next = 0;
  /** The number of the first record that waits. */
  #acked: number;
  #evicted = 0;
  #refused = 0;
  #damagedBytes = 0;

  /** @throws AgentError `SPOOL_UNUSABLE`, `SPOOL_TAKEN` */
  constructor({ folder, mostBytes = 64 * MIB, segmentBytes }: SpoolOptions) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    this.#segmentBytes = segmentBytes ?? Math.min(MIB, Math.ceil(mostBytes / 8));
    this.#lock = lockFolder(folder);
    try {
      this.#acked = readMark(folder);
      for (const file of listSegments(folder)) this.#adopt(file);
      // What was acknowledged and then lost by the disk must not get its numbers a second time.
      this.#next = Math.max(this.#next, this.#acked);
      this.#forgetAcked();
    } catch (error) {
      closeSync(this.#lock);
      throw unusableSpool(folder, error);
    }
  }

  /** Adds records at the end; on the disk for good only after `sync`. A disk that is full takes the oldest away for them. */
  append(contents: readonly Uint8Array[]): void {
    for (const content of contents) {
      const bytes = encodeRecord(content);
      this.#makeRoom(bytes.length);
      if (!this.#write(bytes)) this.#refused += 1;
    }
  }

  /** Has the disk keep everything that was added. A disk that cannot is tried again with the next one. */
  sync(): void {
    if (!this.#isDirty || this.#fd === undefined) return;
    syncFile(this.#fd);
    this.#isDirty = false;
  }

  /** As sync, while others go on: a disk may take its time. What it cannot keep it is asked to keep again. */
  async syncMeanwhile(): Promise<void> {
    const last = this.#segments.at(-1);
    if (!this.#isDirty || this.#fd === undefined || last === undefined) return;
    this.#isDirty = false;
    if (!(await syncPath(last.path))) this.#isDirty = true;
  }

  /** The oldest records that wait, as many as fit; empty where none does. */
  peek(most: { readonly records: number; readonly bytes: number }): SpoolBatch {
    const contents: Uint8Array[] = [];
    let next = this.#acked;
    let bytes = 0;
    for (const segment of [...this.#segments]) {
      if (next >= segment.first + segment.count) continue;
      // Where records are missing between two segments there is nothing to wait for.
      next = Math.max(next, segment.first);
      for (const content of this.#contentsOf(segment).slice(next - segment.first)) {
        const isFull = contents.length >= most.records || bytes + content.length > most.bytes;
        if (isFull && contents.length > 0) return { contents, next };
        contents.push(content);
        bytes += content.length;
        next += 1;
      }
    }
    return { contents, next };
  }

  /** The platform has everything before `next`. Where the disk does not keep that, it is sent again after a restart. */
  ack({ next }: Pick<SpoolBatch, "next">): void {
    if (next <= this.#acked) return;
    this.#acked = next;
    attempt(() => writeMark(this.#folder, next));
    this.#forgetAcked();
  }

  counts(): SpoolCounts {
    const waiting = this.#segments.reduce((sum, segment) => sum + this.#waitingIn(segment), 0);
    return {
      waiting,
      bytes: this.#bytes(),
      evicted: this.#evicted,
      refused: this.#refused,
      damagedBytes: this.#damagedBytes,
    };
  }

  /** Has the disk keep everything and lets another process have it. */
  close(): void {
    attempt(() => this.#closeSegment());
    closeSync(this.#lock);
  }

  /** Nothing of one that somebody has removed, or that the disk does not give back: it is given up. */
  #contentsOf(segment: Segment): readonly Uint8Array[] {
    try {
      return readSegment(segment.path).contents;
    } catch {
      this.#evicted += this.#waitingIn(segment);
      if (segment === this.#segments.at(-1)) this.#abandonSegment();
      this.#remove(segment);
      return [];
    }
  }

  #adopt(file: SegmentFile): void {
    const { contents, damagedBytes } = readSegment(file.path);
    this.#damagedBytes += damagedBytes;
    const bytes = contents.reduce((sum, content) => sum + HEADER_BYTES + content.length, 0);
    // A segment of which nothing is left would have the name of the next one.
    if (contents.length === 0) {
      rmSync(file.path);
      return;
    }
    this.#segments.push({ ...file, count: contents.length, bytes });
    this.#next = Math.max(this.#next, file.first + contents.length);
  }

  #write(bytes: Uint8Array): boolean {
    for (;;) {
      try {
        const segment = this.#segmentFor(bytes.length);
        writeWhole(this.#fd ?? -1, bytes, segment);
        segment.bytes += bytes.length;
        segment.count += 1;
        this.#next += 1;
        this.#isDirty = true;
        return true;
      } catch {
        // No room, most likely: what is oldest makes some.
        this.#abandonSegment();
        if (!this.#evictOldest()) return false;
      }
    }
  }

  #segmentFor(bytes: number): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && this.#fd !== undefined) {
      if (last.bytes + bytes <= this.#segmentBytes) return last;
      this.#closeSegment();
    }
    const path = segmentPath(this.#folder, this.#next);
    // Somebody may have removed it.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#fd = openSync(path, "ax", 0o600);
    const segment = { first: this.#next, path, count: 0, bytes: 0 };
    this.#segments.push(segment);
    syncFolder(this.#folder);
    return segment;
  }

  #closeSegment(): void {
    if (this.#fd === undefined) return;
    this.sync();
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** After a write that failed: what is whole stays, and is not written to any more. */
  #abandonSegment(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    const last = this.#segments.at(-1);
    if (last === undefined || last.count > 0) return;
    this.#remove(last);
  }

  #makeRoom(bytes: number): void {
    while (this.#bytes() + bytes > this.#mostBytes) {
      if (!this.#evictOldest()) return;
    }
  }

  #evictOldest(): boolean {
    const [oldest] = this.#segments;
    if (oldest === undefined) return false;
    if (this.#segments.length === 1) this.#closeSegment();
    this.#evicted += this.#waitingIn(oldest);
    this.#remove(oldest);
    return true;
  }

  #forgetAcked(): void {
    for (const segment of [...this.#segments]) {
      const isWritten = this.#fd !== undefined && segment === this.#segments.at(-1);
      if (isWritten || segment.first + segment.count > this.#acked) return;
      this.#remove(segment);
    }
  }

  #remove(segment: Segment): void {
    // One that cannot be removed is left to the next start.
    attempt(() => rmSync(segment.path, { force: true }));
    const place = this.#segments.indexOf(segment);
    if (place >= 0) this.#segments.splice(place, 1);
  }

  #waitingIn({ first, count }: Segment): number {
    return Math.min(count, Math.max(0, first + count - this.#acked));
  }

  #bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** What a disk refuses must not end the agent. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // What it costs is said where it is called.
  }
}
