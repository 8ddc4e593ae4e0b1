import { closeSync, mkdirSync, rmSync } from "node:fs";
import { readMark, writeMark } from "./acked-mark.ts";
import { type Disk, realDisk } from "./disk.ts";
import { lockFolder, unusableSpool } from "./lock-folder.ts";
import { readSegment } from "./read-segment.ts";
import { encodeRecord, HEADER_BYTES } from "./record-format.ts";
import { isFull, isGone, SpoolFaults } from "./spool-faults.ts";
import { listSegments, type SegmentFile, segmentPath, syncPath } from "./spool-files.ts";
import type { SpoolCounts, SpoolOptions } from "./spool-options.ts";
import { writeWhole } from "./write-whole.ts";

/** Records that wait for the platform, the oldest first. */
export interface SpoolBatch {
  readonly contents: readonly Uint8Array[];
  /** The number of the record behind the last one. */
  readonly next: number;
}

interface Segment extends SegmentFile {
  /** Records in it. */
  count: number;
  bytes: number;
}

const MIB = 1024 * 1024;

/**
 * Keeps records on the disk until they are acknowledged: over restarts, and over a power cut as far
 * as `sync` was called. It reads only the requested records into memory. One process at a time.
 */
export class Spool {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #segmentBytes: number;
  readonly #lock: number;
  readonly #disk: Disk;
  readonly #faults: SpoolFaults;
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
  constructor(options: SpoolOptions) {
    const { folder, mostBytes = 64 * MIB, segmentBytes, onFault, disk = realDisk } = options;
    this.#folder = folder;
    this.#disk = disk;
    this.#faults = new SpoolFaults(onFault);
    this.#mostBytes = mostBytes;
    this.#segmentBytes = segmentBytes ?? Math.min(MIB, Math.ceil(mostBytes / 8));
    this.#lock = lockFolder(folder);
    try {
      this.#acked = readMark(folder);
      for (const file of listSegments(folder)) this.#adopt(file);
      // Numbers of acknowledged records that the disk then lost must not be used a second time.
      this.#next = Math.max(this.#next, this.#acked);
      this.#forgetAcked();
    } catch (error) {
      closeSync(this.#lock);
      throw unusableSpool(folder, error);
    }
  }

  /**
   * Adds records at the end. They are safe on the disk only after `sync`. On a full disk the oldest
   * records make room for them. Any other fault refuses the new records, and loses no old one.
   */
  append(contents: readonly Uint8Array[]): void {
    for (const content of contents) {
      const bytes = encodeRecord(content);
      this.#makeRoom(bytes.length);
      if (!this.#write(bytes)) this.#refused += 1;
    }
  }

  /**
   * Has the disk keep everything that was added. A disk that cannot is tried again with the next
   * one.
   */
  sync(): void {
    if (!this.#isDirty || this.#fd === undefined) return;
    try {
      this.#disk.sync(this.#fd);
      this.#isDirty = false;
      this.#faults.worked("sync");
    } catch (error) {
      this.#faults.failed("sync", error);
    }
  }

  /** As sync, while others go on: a disk may take its time. A failed write is tried again. */
  async syncMeanwhile(): Promise<void> {
    const last = this.#segments.at(-1);
    if (!this.#isDirty || last === undefined) return;
    this.#isDirty = false;
    if (!(await syncPath(last.path))) this.#isDirty = true;
  }

  /** The oldest records that wait, as many as fit; empty if none does. */
  peek(most: { readonly records: number; readonly bytes: number }): SpoolBatch {
    const contents: Uint8Array[] = [];
    let next = this.#acked;
    let bytes = 0;
    for (const segment of [...this.#segments]) {
      if (next >= segment.first + segment.count) continue;
      // If records are missing between two segments there is nothing to wait for.
      next = Math.max(next, segment.first);
      const stored = this.#contentsOf(segment);
      if (stored === undefined) break;
      for (const content of stored.slice(next - segment.first)) {
        const isFull = contents.length >= most.records || bytes + content.length > most.bytes;
        if (isFull && contents.length > 0) return { contents, next };
        contents.push(content);
        bytes += content.length;
        next += 1;
      }
    }
    return { contents, next };
  }

  /**
   * The platform has everything before `next`. If the disk does not keep that, it is sent again
   * after a restart.
   */
  ack({ next }: Pick<SpoolBatch, "next">): void {
    if (next <= this.#acked) return;
    this.#acked = next;
    try {
      writeMark(this.#disk, this.#folder, next);
      this.#faults.worked("keep the mark");
    } catch (error) {
      this.#faults.failed("keep the mark", error);
    }
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

  /**
   * Gives up a segment whose file was removed, and returns nothing of it. Undefined if the disk
   * cannot return it now: it and later ones wait.
   */
  #contentsOf(segment: Segment): readonly Uint8Array[] | undefined {
    try {
      const { contents } = readSegment(this.#disk, segment.path);
      this.#faults.worked("read");
      return contents;
    } catch (error) {
      if (!isGone(error)) {
        this.#faults.failed("read", error);
        return undefined;
      }
      this.#evicted += this.#waitingIn(segment);
      if (segment === this.#segments.at(-1)) this.#abandonSegment();
      this.#remove(segment);
      return [];
    }
  }

  #adopt(file: SegmentFile): void {
    const { contents, damagedBytes } = readSegment(this.#disk, file.path);
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
        writeWhole(this.#disk, this.#fd ?? -1, bytes, segment);
        segment.bytes += bytes.length;
        segment.count += 1;
        this.#next += 1;
        this.#isDirty = true;
        this.#faults.worked("write");
        return true;
      } catch (error) {
        this.#abandonSegment();
        if (isFull(error) && this.#evictOldest()) continue;
        this.#faults.failed("write", error);
        return false;
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
    // A process may have removed it.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#fd = this.#disk.open(path, "ax");
    const segment = { first: this.#next, path, count: 0, bytes: 0 };
    this.#segments.push(segment);
    this.#disk.syncFolder(this.#folder);
    return segment;
  }

  #closeSegment(): void {
    if (this.#fd === undefined) return;
    this.sync();
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** After a write that failed: whole records stay, and the file is not written to any more. */
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

/** A disk's error must not end the agent. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The caller reports the cost.
  }
}
