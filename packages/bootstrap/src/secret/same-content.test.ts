import { expect, test } from "bun:test";
import { sameContent } from "./same-content.ts";
import { annotations } from "./secret-format.ts";
import type { SecretContent } from "./secret-object.ts";
import { storedKeys } from "./testdata/secret-objects.ts";
import { writePhase } from "./write-phase.ts";

const wanted = writePhase(storedKeys);
const holding = (key: string, bytes: Uint8Array) => new Map([...wanted.data, [key, bytes]]);
const share = wanted.data.get("unseal-key-1") ?? new Uint8Array();

const cases: readonly (readonly [name: string, change: Partial<SecretContent>, same: boolean])[] = [
  ["nothing", {}, true],
  ["a label", { labels: {} }, true],
  ["one more annotation", { annotations: { ...wanted.annotations, more: "" } }, true],
  ["an annotation", { annotations: { ...wanted.annotations, [annotations.shares]: "4" } }, false],
  [
    "one of ours more",
    { annotations: { ...wanted.annotations, [annotations.rootToken]: "x" } },
    false,
  ],
  ["the type", { type: "Opaque" }, false],
  ["one bit", { data: holding("unseal-key-1", share.with(0, (share[0] ?? 0) ^ 1)) }, false],
  ["one byte less", { data: holding("unseal-key-1", share.slice(1)) }, false],
  ["one entry more", { data: holding("unseal-key-9", share) }, false],
  ["all data", { data: new Map() }, false],
];
for (const [name, change, same] of cases) {
  test(`if ${name} differs, it is ${same ? "still" : "not"} the written content`, () => {
    expect(sameContent({ ...wanted, ...change }, wanted)).toBe(same);
  });
}
