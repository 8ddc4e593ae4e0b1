import { describe, expect, test } from "bun:test";
import { fillLoaderKey } from "./loader-key.ts";

/** A map with one value, as the kernel makes it. */
function mapWith(value: Uint8Array) {
  const map = {
    value,
    lookup: () => map.value,
    update: (_: Uint8Array, to: Uint8Array) => set(to),
  };
  const set = (to: Uint8Array) => {
    map.value = to;
  };
  return map;
}

const zeros = new Uint8Array(16);

describe("fillLoaderKey", () => {
  test("two agents fill two keys of 16 bytes", () => {
    const [one, two] = [mapWith(zeros), mapWith(zeros)];
    for (const map of [one, two]) fillLoaderKey(map);
    expect(one.value).not.toEqual(zeros);
    expect(one.value).toHaveLength(16);
    expect(two.value).not.toEqual(one.value);
  });

  test("the key of an agent before stays", () => {
    const map = mapWith(new Uint8Array(16).fill(7, 15));
    fillLoaderKey(map);
    expect(map.value).toEqual(new Uint8Array(16).fill(7, 15));
  });
});
