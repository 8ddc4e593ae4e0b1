import { afterAll, describe, expect, test } from "bun:test";
import { constants } from "node:os";
import { temporaryFolder } from "@svc/testing";
import { type Disk, realDisk } from "./disk.ts";
import { Spool } from "./spool.ts";
import type { SpoolFault } from "./spool-faults.ts";

const folders = temporaryFolder();
afterAll(() => folders[Symbol.dispose]());

const full = ["ENOSPC", "EDQUOT"];
const others = Object.keys(constants.errno).filter((code) => !full.includes(code));
const everything = { records: 1_000_000, bytes: 1_000_000_000 };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textsIn = (spool: Spool) =>
  spool.peek(everything).contents.map((content) => new TextDecoder().decode(content));
const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** A disk whose calls fail with an errno while they are told to. */
function failingDisk(call: keyof Disk, code: string) {
  let fails = false;
  const refuse = () => {
    throw Object.assign(new Error(`${code}: ${call}`), { code });
  };
  // Half of it is written first, as a disk that fills up does.
  const write: Disk["write"] = (fd, bytes, offset) => {
    if (!fails) return realDisk.write(fd, bytes, offset);
    if (offset > 0) return refuse();
    return realDisk.write(fd, bytes.subarray(0, Math.ceil(bytes.length / 2)), 0);
  };
  const other = (...words: readonly unknown[]) =>
    fails ? refuse() : (realDisk[call] as (...words: readonly unknown[]) => unknown)(...words);
  const disk: Disk = { ...realDisk, [call]: call === "write" ? write : other };
  return { disk, fail: (now: boolean) => (fails = now) };
}

function open(call: keyof Disk, code: string) {
  const { disk, fail } = failingDisk(call, code);
  const faults: SpoolFault[] = [];
  const folder = `${folders.path}/${crypto.randomUUID()}`;
  const options = { folder, segmentBytes: 200, mostBytes: 100_000 };
  const spool = new Spool({ ...options, disk, onFault: (fault) => faults.push(fault) });
  const stored = many("stored", 60);
  spool.append(stored.map(bytesOf));
  return { spool, fail, faults, stored, options };
}

const rows = [
  ["open", "write"],
  ["write", "write"],
  ["syncFolder", "write"],
  ["sync", "sync"],
  ["rename", "keep the mark"],
  ["read", "read"],
] as const satisfies readonly (readonly [keyof Disk, SpoolFault["action"]])[];

for (const [call, action] of rows) {
  // ENOENT of a read gives the segment up; spool.test.ts has a test of that.
  const codes = call === "read" ? others.filter((code) => code !== "ENOENT") : others;
  describe(`a disk that refuses ${call} loses no stored record:`, () => {
    for (const code of codes) {
      test(code, () => {
        const { spool, fail, faults, stored, options } = open(call, code);
        fail(true);
        for (const text of many("new", 20)) spool.append([bytesOf(text)]);
        spool.sync();
        spool.peek(everything);
        spool.ack({ next: 1 });
        expect(spool.counts()).toMatchObject({ evicted: 0, waiting: 79 - spool.counts().refused });
        expect(faults).toContainEqual({ action, code });
        expect(faults.filter((fault) => fault.action === action)).toHaveLength(1);
        fail(false);
        spool.append([bytesOf("last")]);
        const texts = textsIn(spool);
        expect(texts.slice(0, 59)).toEqual(stored.slice(1));
        expect(texts.at(-1)).toBe("last");
        spool.close();
        const again = new Spool(options);
        // Without its mark it sends acknowledged records once more.
        expect(textsIn(again).slice(-texts.length)).toEqual(texts);
        again.close();
      });
    }
  });
}

describe("a disk without room gives the oldest records for new ones:", () => {
  for (const code of full) {
    for (const call of ["open", "write"] as const) {
      test(`${code} of ${call}`, () => {
        const { spool, fail } = open(call, code);
        fail(true);
        spool.append(many("refused", 20).map(bytesOf));
        const { waiting, evicted, refused } = spool.counts();
        expect({ waiting, all: evicted + refused }).toEqual({ waiting: 0, all: 80 });
        expect(refused).toBeGreaterThan(0);
        fail(false);
        spool.append([bytesOf("new")]);
        expect(textsIn(spool)).toEqual(["new"]);
        spool.close();
      });
    }
  }
});
