import { expect, test } from "bun:test";
import { partedMap } from "./parted-map.ts";

test("a map of parts keeps keys apart, with any length and end", () => {
  const map = partedMap<number>();
  const keys = ["", "1", "a1", "b1", "ab1", "7a3b1c2d-0000-4000-8000-0000000000ff", "é😀"];
  keys.forEach((key, index) => {
    map.set(key, index);
  });
  expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, index) => index));
  map.delete("a1");
  map.delete("not there");
  map.set("b1", 9);
  expect(map.get("a1")).toBeUndefined();
  expect(map.get("b1")).toBe(9);
});
