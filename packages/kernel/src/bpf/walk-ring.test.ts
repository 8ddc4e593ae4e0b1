import { describe, expect, test } from "bun:test";
import { MadeUpRing } from "../../testdata/made-up-ring.ts";
import { releaseRing, walkRing } from "./walk-ring.ts";

describe("walkRing", () => {
  test("stops at a record that is being written, and goes on when it is complete", () => {
    const ring = new MadeUpRing(256);
    ring.write(1, 4);
    const open = ring.reserve(2, 4);
    ring.write(3, 4);
    expect(read(ring)).toEqual([1]);
    expect(read(ring)).toEqual([]);
    ring.submit(open);
    expect(read(ring)).toEqual([2, 3]);
    expect(ring.free).toBe(256);
  });

  test("skips discarded records, and gives their room back", () => {
    const ring = new MadeUpRing(256);
    ring.discard(ring.reserve(1, 100));
    expect(read(ring)).toEqual([]);
    expect(ring.free).toBe(256);
  });

  test("hands over at most the requested number", () => {
    const ring = new MadeUpRing(256);
    for (const id of [1, 2, 3]) ring.write(id, 4);
    expect(read(ring, 2)).toEqual([1, 2]);
    expect(read(ring, 2)).toEqual([3]);
  });

  test("counts a record as read whose visitor throws", () => {
    const ring = new MadeUpRing(256);
    for (const id of [1, 2]) ring.write(id, 4);
    const fail = () => {
      throw new TypeError("cannot read");
    };
    expect(() => walkRing(ring.memory, fail)).toThrow("cannot read");
    expect(read(ring)).toEqual([2]);
  });

  test("gives room back before it has read all", () => {
    const ring = new MadeUpRing(256);
    for (const id of [1, 2, 3, 4]) ring.write(id, 56);
    const free: number[] = [];
    walkRing(ring.memory, () => void free.push(ring.free));
    expect(free).toEqual([0, 64, 128, 192]);
  });

  test("ends when its caller has enough", () => {
    const ring = new MadeUpRing(256);
    for (const id of [1, 2, 3]) ring.write(id, 4);
    const ids: number[] = [];
    const visit = (data: DataView, at: number) => void ids.push(data.getUint32(at, true));
    walkRing(ring.memory, visit, { isEnough: () => ids.length === 2 });
    expect(ids).toEqual([1, 2]);
    expect(read(ring)).toEqual([3]);
  });

  test("leaves its records to the next reader until they are released", () => {
    const ring = new MadeUpRing(1024);
    for (const id of [1, 2, 3]) ring.write(id, 4);
    const ends: number[] = [];
    const walk = () =>
      walkRing(ring.memory, () => undefined, { onEnd: (end) => void ends.push(end) });
    expect([walk(), walk()]).toEqual([3, 3]);
    for (const end of ends.slice(1)) releaseRing(ring.memory, end);
    expect(ring.free).toBe(1024);
    ring.write(4, 4);
    expect(read(ring)).toEqual([4]);
  });

  test("positions beyond 32 bits lead to the same places", () => {
    const ring = new MadeUpRing(256, 2 ** 40 + 128);
    for (let id = 1; id < 50; id += 1) {
      ring.write(id, 4 + (id % 90));
      expect(read(ring)).toEqual([id]);
    }
  });

  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`records that are written, completed and discarded in any order are read once, in order (seed ${seed})`, () => {
      const { written, got } = randomHistory(seed);
      expect(written.length).toBeGreaterThan(1000);
      expect(got).toEqual(written);
    });
  }
});

/** The first four bytes of each record; the ring has checked the rest when it wrote them. */
function read(ring: MadeUpRing, limit?: number): readonly number[] {
  const ids: number[] = [];
  walkRing(
    ring.memory,
    (data, at, length) => {
      const id = data.getUint32(at, true);
      ids.push(ring.isIntact(id, new Uint8Array(data.buffer, at, length)) ? id : -1);
    },
    limit === undefined ? {} : { limit },
  );
  return ids;
}

function randomHistory(seed: number) {
  const random = randomNumbers(seed);
  const ring = new MadeUpRing(1024);
  const written: number[] = [];
  const got: number[] = [];
  const open: { readonly id: number; readonly at: number }[] = [];
  const discarded = new Set<number>();
  for (let id = 1; id <= 5000; id += 1) {
    const length = 4 + random(200);
    if (ring.hasRoom(length)) {
      open.push({ id, at: ring.reserve(id, length) });
      written.push(id);
    }
    // Those that were begun later may be complete earlier: their writers are on other processors.
    while (open.length > 0 && random(3) > 0) {
      const [{ id: done, at } = { id: 0, at: 0 }] = open.splice(random(open.length), 1);
      if (random(4) === 0) {
        ring.discard(at);
        discarded.add(done);
      } else ring.submit(at);
    }
    if (random(3) === 0) got.push(...read(ring, 1 + random(10)));
  }
  for (const { at } of open) ring.submit(at);
  got.push(...read(ring));
  return { written: written.filter((id) => !discarded.has(id)), got };
}

/** Numbers from 0 to below `limit`, the same for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
