import { describe, expect, test } from "bun:test";
import fastJsonPatch, { type Operation } from "fast-json-patch";
import { applyPatch } from "./apply-patch.ts";
import { type PatchOperation, patchBetween } from "./patch-between.ts";

const same = { name: "same", deep: { list: [1] } };

const cases: Readonly<
  Record<string, readonly [before: unknown, after: unknown, patch: readonly PatchOperation[]]>
> = {
  nothing: [same, same, []],
  "a member that came": [{}, { a: 1 }, [{ op: "add", path: "/a", value: 1 }]],
  "a member that was null": [{ a: null }, { a: [] }, [{ op: "add", path: "/a", value: [] }]],
  "a member that went": [{ a: 1 }, {}, [{ op: "remove", path: "/a" }]],
  "names with strokes and tildes": [
    { "a/b~c": 1 },
    { "a/b~c": 2 },
    [{ op: "replace", path: "/a~1b~0c", value: 2 }],
  ],
  "list members at both ends": [
    [same],
    [{ name: "first" }, same, { name: "last" }],
    [
      { op: "add", path: "/0", value: { name: "first" } },
      { op: "add", path: "/-", value: { name: "last" } },
    ],
  ],
  "a list member that changed behind a new one": [
    [{ name: "x", a: 1 }],
    [{ name: "y" }, { name: "x", a: 2 }],
    [
      { op: "add", path: "/0", value: { name: "y" } },
      { op: "replace", path: "/1/a", value: 2 },
    ],
  ],
  "a list that lost a member": [
    [{ name: "x" }, { name: "y" }],
    [{ name: "y" }],
    [{ op: "replace", path: "", value: [{ name: "y" }] }],
  ],
  "a list of words": [["a", "b"], ["a"], [{ op: "replace", path: "", value: ["a"] }]],
};

describe("the patch says", () => {
  for (const [name, [before, after, patch]] of Object.entries(cases)) {
    test(name, () => {
      expect(patchBetween(before, after)).toEqual(patch);
      expect(applyPatch(before, patch)).toEqual(after);
    });
  }
});

test("a patch leads from any value to any other", () => {
  // A small generator with a fixed seed: a failure comes back.
  let seed = 7;
  const pick = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const value = (depth: number): unknown => {
    const kind = pick(depth > 2 ? 3 : 6);
    if (kind < 2) return [null, 1, "text", true][pick(4)];
    if (kind < 4) {
      const names = ["name", "a", "b/c"].filter(() => pick(2) === 0);
      return Object.fromEntries(
        names.map((key) => [key, key === "name" ? `n${pick(3)}` : value(depth + 1)]),
      );
    }
    return Array.from({ length: pick(4) }, () => value(depth + 1));
  };
  for (let round = 0; round < 3000; round += 1) {
    const [before, after] = [value(0), value(0)];
    const patch = patchBetween(before, after);
    expect(applyPatch(before, patch)).toEqual(after);
    // Another implementation of RFC 6902 reads it the same way.
    const document = structuredClone(before);
    const steps = structuredClone(patch) as Operation[];
    expect(fastJsonPatch.applyPatch(document, steps, true).newDocument).toEqual(after);
  }
});

test("a place that is not there is refused", () => {
  const remove = [{ op: "remove", path: "/a/b" }] as const;
  expect(() => applyPatch({}, remove)).toThrow(
    'apply a patch: remove "/a/b": there is no such place',
  );
});
