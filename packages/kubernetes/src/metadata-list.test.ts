import { describe, expect, test } from "bun:test";
import { parseMetadataList } from "./metadata-list.ts";

/** A field that has a length, of less than 128 bytes. */
const field = (number: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Uint8Array.of(number * 8 + 2, bytes.length), bytes]);
};
const label = field(11, field(1, "app"), field(2, "web"));
const annotation = field(12, field(1, "a/b"), field(2, "é"));
const number = Uint8Array.of(7 * 8, 0xff, 0x01);
const pod = field(
  2,
  field(1, field(1, "web"), number, field(3, "shop"), field(5, "u"), label, annotation),
);
const list = field(2, field(1, field(2, "100"), field(3, "next")), pod, pod);
const whole = Buffer.concat([Buffer.from("k8s\0"), field(1, field(1, "v1")), list]);

test("a list in protobuf is read as far as it is wanted", () => {
  const names = { name: "web", namespace: "shop", uid: "u" };
  const metadata = { ...names, labels: { app: "web" }, annotations: { "a/b": "é" } };
  expect(parseMetadataList(whole)).toEqual({
    metadata: { resourceVersion: "100", continue: "next" },
    items: [{ metadata }, { metadata }],
  });
});

test("an empty list is one", () => {
  expect(parseMetadataList(Buffer.from("k8s\0"))).toEqual({
    metadata: { resourceVersion: "", continue: "" },
    items: [],
  });
});

const spoilt: Readonly<Record<string, Uint8Array>> = {
  "is JSON": Buffer.from("{}"),
  "ends in a field": whole.subarray(0, -1),
  "ends in a number": Buffer.from("k8s\0\xff", "latin1"),
  "has a field of no kind": Buffer.from("k8s\0\x0b", "latin1"),
};

describe("a RangeError says that an answer", () => {
  for (const [name, bytes] of Object.entries(spoilt)) {
    test(name, () => expect(() => parseMetadataList(bytes)).toThrow(RangeError));
  }
});
