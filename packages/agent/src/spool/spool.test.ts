import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { AgentError } from "../agent-error.ts";
import { HEADER_BYTES, MOST_CONTENT_BYTES } from "./record-format.ts";
import { Spool } from "./spool.ts";
import type { SpoolOptions } from "./spool-options.ts";

const folders = temporaryFolder();
afterAll(() => folders[Symbol.dispose]());

const newFolder = () => join(folders.path, crypto.randomUUID());
const bytesOf = (text: string) => new TextEncoder().encode(text);
const everything = { records: 1_000_000, bytes: 1_000_000_000 };
const textsIn = (spool: Spool, most = everything) =>
  spool.peek(most).contents.map((content) => new TextDecoder().decode(content));
const add = (spool: Spool, ...texts: readonly string[]) => spool.append(texts.map(bytesOf));
const small: Omit<SpoolOptions, "folder"> = { segmentBytes: 64, mostBytes: 100_000 };
const segmentsOf = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".segment"))
    .toSorted()
    .map((file) => join(folder, file));
const lastSegment = (folder: string) => segmentsOf(folder).at(-1) ?? "";

/** Runs a function with a spool, closes it, and returns the function's result. */
function withSpool<T>(options: SpoolOptions, act: (spool: Spool) => T): T {
  const spool = new Spool(options);
  try {
    return act(spool);
  } finally {
    spool.close();
  }
}

test("records come out as they went in, over a restart, until they are acknowledged", () => {
  const folder = newFolder();
  withSpool({ folder }, (spool) => add(spool, "one", "two", "three"));
  withSpool({ folder }, (spool) => {
    expect(textsIn(spool)).toEqual(["one", "two", "three"]);
    spool.ack(spool.peek({ records: 2, bytes: 1000 }));
    expect(textsIn(spool)).toEqual(["three"]);
    add(spool, "four");
  });
  withSpool({ folder }, (spool) => {
    expect(textsIn(spool)).toEqual(["three", "four"]);
    spool.ack(spool.peek(everything));
    expect(spool.counts()).toMatchObject({ waiting: 0, bytes: 0, evicted: 0 });
  });
});

test("a batch has as many records as fit, and always one", () => {
  withSpool({ folder: newFolder(), ...small }, (spool) => {
    add(spool, "aaaa", "bbbb", "cc");
    expect(textsIn(spool, { records: 2, bytes: 1000 })).toEqual(["aaaa", "bbbb"]);
    expect(textsIn(spool, { records: 9, bytes: 9 })).toEqual(["aaaa", "bbbb"]);
    expect(textsIn(spool, { records: 9, bytes: 1 })).toEqual(["aaaa"]);
  });
});

test("segments that are acknowledged are gone from the disk", () => {
  const folder = newFolder();
  withSpool({ folder, ...small }, (spool) => {
    for (let index = 0; index < 50; index += 1) add(spool, `record ${index}`);
    expect(segmentsOf(folder).length).toBeGreaterThan(10);
    spool.ack({ next: 45 });
    expect(textsIn(spool)).toEqual([45, 46, 47, 48, 49].map((index) => `record ${index}`));
    expect(segmentsOf(folder).length).toBeLessThanOrEqual(3);
  });
});

test("the oldest records go when there is no more room, and are counted", () => {
  const folder = newFolder();
  withSpool({ folder, segmentBytes: 100, mostBytes: 400 }, (spool) => {
    for (let index = 0; index < 100; index += 1) add(spool, `r${String(index).padStart(3, "0")}`);
    const texts = textsIn(spool);
    const { evicted, bytes, waiting } = spool.counts();
    expect(texts.at(-1)).toBe("r099");
    expect(texts).toHaveLength(waiting);
    expect(evicted + waiting).toBe(100);
    expect(bytes).toBeLessThanOrEqual(400);
    expect(bytes).toBe(segmentsOf(folder).reduce((sum, path) => sum + statSync(path).size, 0));
  });
});

test("records that the platform has do not count as given up", () => {
  withSpool({ folder: newFolder(), segmentBytes: 50, mostBytes: 200 }, (spool) => {
    add(spool, ...Array.from({ length: 10 }, (_, index) => `r${index}`));
    spool.ack(spool.peek(everything));
    add(spool, ...Array.from({ length: 10 }, (_, index) => `s${index}`));
    expect(spool.counts()).toMatchObject({ evicted: 0, waiting: 10 });
  });
});

describe("after a power cut in the middle of a write", () => {
  const texts = ["first", "second", "the third one"];
  const folder = newFolder();
  withSpool({ folder }, (spool) => add(spool, ...texts));
  const whole = readFileSync(lastSegment(folder));
  for (let length = 0; length <= whole.length; length += 1) {
    test(`that left ${length} bytes, whole records are there and new ones follow`, () => {
      const cut = newFolder();
      withSpool({ folder: cut }, () => undefined);
      writeFileSync(join(cut, "0000000000000000.segment"), whole.subarray(0, length));
      let end = 0;
      const kept = texts.filter((text) => {
        end += HEADER_BYTES + text.length;
        return end <= length;
      });
      withSpool({ folder: cut }, (spool) => {
        expect(textsIn(spool)).toEqual(kept);
        add(spool, "new");
      });
      withSpool({ folder: cut }, (spool) => expect(textsIn(spool)).toEqual([...kept, "new"]));
    });
  }

  test("that left zeros, they are not records", () => {
    const cut = newFolder();
    withSpool({ folder: cut }, (spool) => add(spool, "one"));
    appendFileSync(lastSegment(cut), new Uint8Array(4096));
    withSpool({ folder: cut }, (spool) => {
      expect(textsIn(spool)).toEqual(["one"]);
      expect(spool.counts().damagedBytes).toBe(4096);
    });
  });
});

test("a byte that the disk has changed costs the rest of its segment and nothing else", () => {
  for (let place = 0; place < 60; place += 1) {
    const folder = newFolder();
    withSpool({ folder, ...small }, (spool) =>
      add(spool, ...["a", "b", "c", "d"].map((it) => it.repeat(20))),
    );
    const [damaged = ""] = segmentsOf(folder);
    const bytes = readFileSync(damaged);
    if (place >= bytes.length) return;
    bytes[place] = (bytes[place] ?? 0) ^ 0x10;
    writeFileSync(damaged, bytes);
    withSpool({ folder, ...small }, (spool) => {
      const texts = textsIn(spool).map((text) => text[0]);
      expect(["a", "b", "c", "d"].join("")).toEndWith(texts.slice(-2).join(""));
      expect(texts.slice(-2)).toEqual(["c", "d"]);
      expect(spool.counts().damagedBytes).toBeGreaterThan(0);
    });
  }
});

describe("a mark of acknowledged records that is", () => {
  const marks = ["", "7", "1 0\n", "zzz\n", "99999999999999999999 1\n"];
  for (const mark of marks) {
    test(`${JSON.stringify(mark)} is invalid: records are sent again`, () => {
      const folder = newFolder();
      withSpool({ folder }, (spool) => {
        add(spool, "one", "two");
        spool.ack({ next: 1 });
      });
      writeFileSync(join(folder, "acked"), mark);
      withSpool({ folder }, (spool) => expect(textsIn(spool)).toEqual(["one", "two"]));
    });
  }
});

test("numbers that were acknowledged are not given again if the disk has lost the records", () => {
  const folder = newFolder();
  withSpool({ folder }, (spool) => {
    add(spool, "one", "two", "three");
    spool.ack({ next: 2 });
  });
  truncateSync(lastSegment(folder), 3);
  withSpool({ folder }, (spool) => {
    add(spool, "four");
    expect(textsIn(spool)).toEqual(["four"]);
  });
});

const removals: readonly (readonly [name: string, remove: (folder: string) => void])[] = [
  ["its files", (folder) => rmSync(lastSegment(folder))],
  ["its folder", (folder) => rmSync(folder, { recursive: true })],
];
for (const [name, remove] of removals) {
  test(`if a process removes ${name} during use, waiting records are given up, and later ones are kept`, () => {
    const folder = newFolder();
    withSpool({ folder }, (spool) => {
      add(spool, "one", "two");
      remove(folder);
      expect(textsIn(spool)).toEqual([]);
      expect(spool.counts()).toMatchObject({ waiting: 0, evicted: 2 });
      add(spool, "three");
      expect(textsIn(spool)).toEqual(["three"]);
      spool.ack(spool.peek(everything));
      expect(spool.counts().waiting).toBe(0);
    });
  });
}

test("if the disk does not keep the mark, it continues, and sends acknowledged records again after a restart", () => {
  const folder = newFolder();
  withSpool({ folder }, (spool) => {
    mkdirSync(join(folder, "acked.new"));
    add(spool, "one");
    spool.ack(spool.peek(everything));
    expect(spool.counts().waiting).toBe(0);
  });
  withSpool({ folder }, (spool) => expect(textsIn(spool)).toEqual(["one"]));
});

test("a folder is for one spool at a time", () => {
  const folder = newFolder();
  withSpool({ folder }, () => {
    expect(() => new Spool({ folder })).toThrow(AgentError);
    expect(() => new Spool({ folder })).toThrow("another process uses it");
  });
  withSpool({ folder }, (spool) => expect(textsIn(spool)).toEqual([]));
});

test("a folder that cannot be one is reported by name", () => {
  const path = newFolder();
  writeFileSync(path, "a file");
  expect(() => new Spool({ folder: path })).toThrow(`use the spool in ${path}: `);
});

test("a record that is empty or too long is refused, and other files are left alone", () => {
  const folder = newFolder();
  withSpool({ folder }, (spool) => {
    expect(() => spool.append([new Uint8Array()])).toThrow(RangeError);
    expect(() => spool.append([new Uint8Array(MOST_CONTENT_BYTES + 1)])).toThrow(RangeError);
    add(spool, "one");
  });
  writeFileSync(join(folder, "notes.txt"), "mine");
  withSpool({ folder }, (spool) => {
    spool.ack(spool.peek(everything));
    expect(readdirSync(folder).toSorted()).toContain("notes.txt");
  });
});

/** Numbers that are the same in every run (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test("in every order of events, each record that was synced and not given up is sent, and never lost before its acknowledgement", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const next = random(seed);
    const options = { folder: newFolder(), segmentBytes: 200, mostBytes: 2000 };
    let spool = new Spool(options);
    let evicted = 0;
    let count = 0;
    const sent: number[] = [];
    let acked = 0;
    for (let step = 0; step < 80; step += 1) {
      switch (next(6)) {
        case 0:
        case 1:
        case 2: {
          const more = 1 + next(5);
          add(spool, ...Array.from({ length: more }, () => `${count++} ${"x".repeat(next(60))}`));
          break;
        }
        case 3: {
          const batch = spool.peek({ records: 1 + next(10), bytes: 500 });
          sent.push(
            ...batch.contents.map((it) => Number.parseInt(new TextDecoder().decode(it), 10)),
          );
          acked = Math.max(acked, ...sent.slice(-1).map((number) => number + 1));
          spool.ack(batch);
          break;
        }
        case 4: {
          evicted += spool.counts().evicted;
          spool.close();
          spool = new Spool(options);
          break;
        }
        default:
          spool.sync();
      }
    }
    const rest = spool
      .peek(everything)
      .contents.map((it) => Number.parseInt(new TextDecoder().decode(it), 10));
    evicted += spool.counts().evicted;
    const seen = [...sent, ...rest];
    // In order, none twice if nothing was damaged, and none missing but those that were given
    // up.
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
    expect({ seed, all: seen.length + evicted }).toEqual({ seed, all: count });
    spool.close();
  }
});
