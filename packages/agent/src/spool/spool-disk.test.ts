import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { type Disk, realDisk } from "./disk.ts";
import { HEADER_BYTES } from "./record-format.ts";
import { Spool } from "./spool.ts";
import type { SpoolFault } from "./spool-faults.ts";
import type { SpoolOptions } from "./spool-options.ts";

const folders = temporaryFolder();
afterAll(() => folders[Symbol.dispose]());

const everything = { records: 1000, bytes: 1_000_000 };
/** A record with a number of bytes on the disk. */
const record = (bytes: number, fill = 0) => new Uint8Array(bytes - HEADER_BYTES).fill(fill);

/** A spool whose calls to the disk are counted, and fail with an errno if they are told to. */
class Stage implements Disposable {
  readonly folder = join(folders.path, crypto.randomUUID());
  readonly calls: Record<keyof Disk, number> = {
    ...{ open: 0, write: 0, sync: 0, syncFolder: 0, rename: 0, read: 0 },
  };
  readonly faults: SpoolFault[] = [];
  /** The calls that fail next, with which errno, and how often. */
  readonly refusals = new Map<keyof Disk, { readonly code: string; times: number }>();
  readonly options: SpoolOptions;
  spool: Spool;

  constructor(options: Partial<SpoolOptions> = {}) {
    const disk: Disk = {
      open: (...words) => this.#call("open", () => realDisk.open(...words)),
      write: (...words) => this.#call("write", () => realDisk.write(...words)),
      // These tests need no real fsync.
      sync: () => this.#call("sync", () => undefined),
      syncFolder: () => this.#call("syncFolder", () => undefined),
      rename: (...words) => this.#call("rename", () => realDisk.rename(...words)),
      read: (...words) => this.#call("read", () => realDisk.read(...words)),
    };
    const onFault = (fault: SpoolFault) => void this.faults.push(fault);
    this.options = { segmentBytes: 100, ...options, folder: this.folder, disk, onFault };
    this.spool = new Spool(this.options);
  }

  #call<T>(name: keyof Disk, act: () => T): T {
    this.calls[name] += 1;
    const refusal = this.refusals.get(name);
    if (refusal === undefined || refusal.times === 0) return act();
    refusal.times -= 1;
    throw Object.assign(new Error(`${refusal.code}: ${name}`), { code: refusal.code });
  }

  refuse(name: keyof Disk, code: string, times = 1): void {
    this.refusals.set(name, { code, times });
  }

  /** How often the disk was asked for something by that. */
  countOf(name: keyof Disk, act: () => void): number {
    const before = this.calls[name];
    act();
    return this.calls[name] - before;
  }

  segments(): readonly string[] {
    return readdirSync(this.folder).filter((file) => file.endsWith(".segment"));
  }

  fills(): readonly (number | undefined)[] {
    return this.spool.peek(everything).contents.map((content) => content[0]);
  }

  reopen(): void {
    this.spool.close();
    this.spool = new Spool(this.options);
  }

  [Symbol.dispose](): void {
    this.spool.close();
  }
}

describe("sync has the disk keep", () => {
  test("added records, once", () => {
    using stage = new Stage();
    const sync = () => stage.spool.sync();
    expect(stage.countOf("sync", sync)).toBe(0);
    stage.spool.append([record(40), record(40)]);
    expect(stage.countOf("sync", sync)).toBe(1);
    expect(stage.countOf("sync", sync)).toBe(0);
    stage.spool.append([record(20)]);
    expect(stage.countOf("sync", sync)).toBe(1);
  });

  test("records that it refused to keep, with the next try", () => {
    using stage = new Stage();
    stage.spool.append([record(40)]);
    stage.refuse("sync", "EIO", 2);
    stage.spool.sync();
    stage.spool.sync();
    expect(stage.faults).toEqual([{ action: "sync", code: "EIO" }]);
    expect(stage.countOf("sync", () => stage.spool.sync())).toBe(1);
    expect(stage.countOf("sync", () => stage.spool.sync())).toBe(0);
    stage.spool.append([record(40)]);
    stage.refuse("sync", "EIO");
    stage.spool.sync();
    expect(stage.faults).toHaveLength(2);
  });

  test("a segment before the next one begins, and the last one at the end", () => {
    using stage = new Stage();
    stage.spool.append([record(100)]);
    expect(stage.countOf("sync", () => stage.spool.append([record(100)]))).toBe(1);
    expect(stage.countOf("sync", () => stage.reopen())).toBe(1);
  });

  test("the folder, whenever a segment begins", () => {
    using stage = new Stage();
    const add = () => stage.spool.append([record(60)]);
    expect([stage.countOf("syncFolder", add), stage.countOf("syncFolder", add)]).toEqual([1, 1]);
    expect(stage.countOf("syncFolder", () => stage.spool.append([record(40)]))).toBe(0);
  });
});

describe("syncMeanwhile", () => {
  test("leaves nothing for sync", async () => {
    using stage = new Stage();
    await stage.spool.syncMeanwhile();
    stage.spool.append([record(40)]);
    await stage.spool.syncMeanwhile();
    expect(stage.countOf("sync", () => stage.spool.sync())).toBe(0);
  });

  test("leaves to sync the records that came while it was under way", async () => {
    using stage = new Stage();
    stage.spool.append([record(40)]);
    const done = stage.spool.syncMeanwhile();
    stage.spool.append([record(40)]);
    await done;
    expect(stage.countOf("sync", () => stage.spool.sync())).toBe(1);
  });

  test("leaves to sync the records that it could not keep", async () => {
    using stage = new Stage();
    // The last segment is the one that is written to.
    stage.spool.append([record(100), record(100)]);
    const last = join(stage.folder, stage.segments().toSorted().at(-1) ?? "");
    rmSync(last);
    symlinkSync(last, last);
    await stage.spool.syncMeanwhile();
    expect(stage.countOf("sync", () => stage.spool.sync())).toBe(1);
  });
});

describe("segments", () => {
  test("are filled to the last byte", () => {
    using stage = new Stage();
    stage.spool.append([record(60), record(40)]);
    expect(stage.segments()).toHaveLength(1);
    stage.spool.append([record(20)]);
    expect(stage.segments()).toHaveLength(2);
  });

  test("have an eighth of the room, and a mebibyte at most, by default", () => {
    const segmentsWith = (mostBytes: number, records: readonly Uint8Array[]) => {
      const folder = join(folders.path, crypto.randomUUID());
      const spool = new Spool({ folder, mostBytes });
      spool.append(records);
      spool.close();
      return readdirSync(folder).filter((file) => file.endsWith(".segment")).length;
    };
    expect(segmentsWith(800, [record(50), record(50)])).toBe(1);
    expect(segmentsWith(800, [record(50), record(51)])).toBe(2);
    const fourth = Array.from({ length: 4 }, () => record(256 * 1024));
    const room = 64 * 1024 * 1024;
    expect([segmentsWith(room, fourth), segmentsWith(room, [...fourth, record(20)])]).toEqual([
      1, 2,
    ]);
  });

  test("that hold nothing are removed at the start", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1)]);
    const empty = join(stage.folder, "0000000000000009.segment");
    writeFileSync(empty, "");
    stage.reopen();
    expect(stage.segments()).toEqual(["0000000000000000.segment"]);
    expect(stage.fills()).toEqual([1]);
  });

  test("have their bytes again after a restart", () => {
    using stage = new Stage();
    stage.spool.append([record(30), record(50), record(70)]);
    stage.reopen();
    expect(stage.spool.counts()).toEqual({
      ...{ waiting: 3, bytes: 150, evicted: 0, refused: 0, damagedBytes: 0 },
    });
  });

  test("that are acknowledged stay while they are written to", () => {
    using stage = new Stage();
    stage.spool.append([record(40)]);
    stage.spool.ack({ next: 1 });
    expect(stage.segments()).toHaveLength(1);
    stage.spool.append([record(40, 7)]);
    expect(stage.segments()).toHaveLength(1);
    expect(stage.fills()).toEqual([7]);
  });

  test("that the disk cannot remove end nothing", () => {
    using stage = new Stage();
    stage.spool.append([record(100), record(100, 2)]);
    const [first = ""] = stage.segments().toSorted();
    rmSync(join(stage.folder, first));
    stage.spool.ack({ next: 1 });
    expect(stage.fills()).toEqual([2]);
  });
});

describe("the room", () => {
  test("is used to the last byte", () => {
    using stage = new Stage({ mostBytes: 300 });
    stage.spool.append([record(100), record(100), record(100)]);
    expect(stage.spool.counts()).toMatchObject({ evicted: 0, bytes: 300 });
    stage.spool.append([record(20, 4)]);
    expect(stage.spool.counts()).toMatchObject({ evicted: 1, bytes: 220 });
  });

  test("is given by the only segment, too", () => {
    using stage = new Stage({ mostBytes: 100 });
    stage.spool.append([record(60, 1), record(60, 2)]);
    expect(stage.spool.counts()).toMatchObject({ evicted: 1, bytes: 60 });
    expect(stage.fills()).toEqual([2]);
    expect(stage.segments()).toHaveLength(1);
  });

  test("is taken by a record that has more than all of it", () => {
    using stage = new Stage({ mostBytes: 100 });
    stage.spool.append([record(150, 1)]);
    expect(stage.fills()).toEqual([1]);
  });
});

describe("a disk that", () => {
  test("refuses a record for another reason than its room costs that record alone", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1)]);
    stage.refuse("write", "EIO");
    stage.spool.append([record(40, 2), record(40, 3)]);
    expect(stage.spool.counts()).toMatchObject({ refused: 1, evicted: 0, waiting: 2 });
    expect(stage.fills()).toEqual([1, 3]);
    expect(stage.segments()).toHaveLength(2);
  });

  test("has no room gives the oldest records for the new one", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1), record(100, 2)]);
    stage.refuse("write", "ENOSPC");
    stage.spool.append([record(100, 3)]);
    expect(stage.spool.counts()).toMatchObject({ refused: 0, evicted: 1 });
    expect(stage.fills()).toEqual([2, 3]);
    expect(stage.faults).toEqual([]);
  });

  test("has no room for anything refuses the new one", () => {
    using stage = new Stage();
    stage.refuse("write", "ENOSPC");
    stage.spool.append([record(100, 1)]);
    expect(stage.spool.counts()).toMatchObject({ refused: 1, evicted: 0, waiting: 0 });
    expect(stage.faults).toEqual([{ action: "write", code: "ENOSPC" }]);
    expect(stage.segments()).toEqual([]);
  });

  test("refuses the first record of a segment leaves no file of it", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1)]);
    stage.refuse("write", "EIO");
    stage.spool.append([record(100, 2)]);
    expect(stage.segments()).toHaveLength(1);
    stage.spool.append([record(100, 3)]);
    expect(stage.fills()).toEqual([1, 3]);
  });

  test("refuses to open a segment leaves the one before", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1)]);
    stage.refuse("open", "EMFILE");
    stage.spool.append([record(100, 2)]);
    expect(stage.spool.counts()).toMatchObject({ refused: 1, evicted: 0, waiting: 1 });
    expect(stage.fills()).toEqual([1]);
  });

  test("cannot read a segment gives the records before it", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1), record(100, 2), record(100, 3)]);
    let reads = 0;
    const fails = new Spool({
      ...stage.options,
      folder: `${stage.folder}-other`,
      disk: {
        ...realDisk,
        read: (path) => {
          reads += 1;
          if (reads !== 2) return realDisk.read(path);
          throw Object.assign(new Error("EIO: read"), { code: "EIO" });
        },
      },
    });
    fails.append([record(100, 1), record(100, 2), record(100, 3)]);
    const { contents, next } = fails.peek(everything);
    expect({ fills: contents.map(([first]) => first), next }).toEqual({ fills: [1], next: 1 });
    expect(fails.counts()).toMatchObject({ waiting: 3, evicted: 0 });
    fails.close();
    expect(stage.faults).toEqual([{ action: "read", code: "EIO" }]);
  });

  test("does not keep the mark is reported, and asked again with the next one", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1), record(40, 2)]);
    stage.refuse("rename", "EROFS");
    stage.spool.ack({ next: 1 });
    expect(stage.faults).toEqual([{ action: "keep the mark", code: "EROFS" }]);
    expect(stage.fills()).toEqual([2]);
    stage.spool.ack({ next: 2 });
    stage.reopen();
    expect(stage.fills()).toEqual([]);
  });

  test("cannot be read at the start lets the next spool have the folder", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1)]);
    stage.spool.close();
    stage.refuse("read", "EIO");
    expect(() => new Spool(stage.options)).toThrow(`use the spool in ${stage.folder}: `);
    stage.spool = new Spool(stage.options);
    expect(stage.fills()).toEqual([1]);
  });
});

describe("a fault", () => {
  const rows: readonly (readonly [
    action: SpoolFault["action"],
    call: keyof Disk,
    act: (stage: Stage, turn: number) => void,
  ])[] = [
    ["write", "write", ({ spool }) => spool.append([record(40)])],
    ["read", "read", ({ spool }) => void spool.peek(everything)],
    ["keep the mark", "rename", ({ spool }, turn) => spool.ack({ next: turn + 1 })],
  ];
  for (const [action, call, act] of rows) {
    test(`of "${action}" is reported again once that has worked`, () => {
      using stage = new Stage();
      stage.spool.append(Array.from({ length: 5 }, () => record(100)));
      const told = [0, 1, 2, 3].map((turn) => {
        stage.refuse(call, "EIO", turn === 2 ? 0 : 1);
        act(stage, turn);
        return stage.faults.length;
      });
      expect(told).toEqual([1, 1, 1, 2]);
    });
  }
});

test("a spool leaves no descriptor open", () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  const stage = new Stage();
  stage.spool.append([record(100), record(100), record(60)]);
  stage.refuse("write", "EIO");
  stage.spool.append([record(20)]);
  stage.spool.append([record(100)]);
  stage.spool.close();
  expect(open()).toBe(before);
});

describe("files that are removed meanwhile", () => {
  test("cost their records; the segment that is written to goes on", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1), record(40, 2)]);
    const [first = ""] = stage.segments().toSorted();
    rmSync(join(stage.folder, first));
    expect(stage.fills()).toEqual([2]);
    stage.spool.append([record(40, 3)]);
    expect(stage.spool.counts()).toMatchObject({ evicted: 1, waiting: 2 });
    expect(stage.segments()).toHaveLength(1);
    expect(stage.fills()).toEqual([2, 3]);
  });

  test("are not written to any more", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1)]);
    rmSync(join(stage.folder, stage.segments()[0] ?? ""));
    expect(stage.fills()).toEqual([]);
    stage.spool.append([record(40, 2)]);
    expect(stage.fills()).toEqual([2]);
  });
});

describe("an acknowledged record", () => {
  test("that is acknowledged again changes nothing", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1), record(40, 2)]);
    expect(stage.countOf("rename", () => stage.spool.ack({ next: 1 }))).toBe(1);
    expect(stage.countOf("rename", () => stage.spool.ack({ next: 1 }))).toBe(0);
    expect(stage.countOf("rename", () => stage.spool.ack({ next: 0 }))).toBe(0);
    expect(stage.fills()).toEqual([2]);
  });

  test("is not read again", () => {
    using stage = new Stage();
    stage.spool.append([record(100, 1), record(100, 2), record(100, 3)]);
    stage.spool.ack({ next: 2 });
    expect(stage.countOf("read", () => void stage.fills())).toBe(1);
  });

  test("is not read again, though its segment is still open", () => {
    using stage = new Stage();
    stage.spool.append([record(40, 1), record(40, 2)]);
    stage.spool.ack({ next: 2 });
    expect(stage.countOf("read", () => void stage.fills())).toBe(0);
  });

  test("leaves the others of its segment", () => {
    using stage = new Stage();
    stage.spool.append([record(50, 1), record(50, 2), record(50, 3)]);
    stage.spool.ack({ next: 1 });
    expect(stage.spool.counts().waiting).toBe(2);
    expect(stage.fills()).toEqual([2, 3]);
  });
});

test("a batch has as many bytes as it may, and no more", () => {
  using stage = new Stage();
  stage.spool.append([record(50, 1), record(50, 2), record(50, 3)]);
  const bytes = 2 * (50 - HEADER_BYTES);
  expect(stage.spool.peek({ records: 1000, bytes }).contents).toHaveLength(2);
  expect(stage.spool.peek({ records: 1000, bytes: bytes - 1 }).contents).toHaveLength(1);
  expect(stage.spool.peek({ records: 2, bytes: 1000 }).next).toBe(2);
});
