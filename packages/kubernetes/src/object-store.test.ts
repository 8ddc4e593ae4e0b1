import { describe, expect, test } from "bun:test";
import { ObjectStore } from "./object-store.ts";

const named = (name: string, size = 1, namespace = "shop") => ({
  metadata: { namespace, name },
  text: "x".repeat(size),
});
const nameOf = (object: unknown) => String(Object(object).metadata.name);
const bounded = () =>
  new ObjectStore<string>({
    parse: nameOf,
    bounds: {
      bytesOf: (object) => Object(object).text.length,
      mostBytes: 10,
      instead: (object) => `too much: ${nameOf(object)}`,
    },
  });

describe("objects beyond a namespace's limit are left out, with a replacement", () => {
  test("beside earlier objects, and not in other namespaces", () => {
    const store = bounded();
    for (const object of [named("a", 6), named("b", 6), named("c", 4), named("d", 6, "bank")]) {
      expect(store.apply("ADDED", object)).toBe(true);
    }
    expect(store.inNamespace("shop")).toEqual(["a", "too much: b", "c"]);
    expect(store.inNamespace("bank")).toEqual(["d"]);
  });

  test("if one has grown", () => {
    const store = bounded();
    store.replaceAll([named("a", 5), named("b", 5)]);
    store.apply("MODIFIED", named("a", 6));
    expect(store.all().toSorted()).toEqual(["b", "too much: a"]);
  });

  test("until there is room, of which the store tells", () => {
    const store = bounded();
    store.replaceAll([named("a", 9), named("b", 5)]);
    expect(store.apply("MODIFIED", named("a", 9))).toBe(true);
    expect(store.apply("MODIFIED", named("a", 4))).toBe(false);
    store.replaceAll([named("a", 4), named("b", 5)]);
    expect(store.all()).toEqual(["a", "b"]);
    expect(store.apply("DELETED", named("b", 5))).toBe(true);
  });

  test("and one that is deleted makes room as well", () => {
    const store = bounded();
    store.replaceAll([named("a", 9), named("b", 5)]);
    expect(store.apply("DELETED", named("a"))).toBe(false);
    expect(store.apply("DELETED", named("b"))).toBe(true);
    expect(store.all()).toEqual([]);
  });
});

test("without bounds everything is kept", () => {
  const store = new ObjectStore({ parse: nameOf });
  store.replaceAll([named("a", 1_000_000), named("b", 1_000_000)]);
  expect(store.all()).toEqual(["a", "b"]);
  expect(store.apply("DELETED", named("a"))).toBe(true);
});
