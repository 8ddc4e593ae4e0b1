import { describe, expect, test } from "bun:test";
import { parseResourceAttributes } from "./parse-resource-attributes.ts";

describe("parseResourceAttributes", () => {
  const taken = [
    ["", {}],
    ["k8s.cluster.name=prod", { "k8s.cluster.name": "prod" }],
    [" a = b , c=d=e ,", { a: "b", c: "d=e" }],
    ["a=x%2Cy%3Dz,gr%C3%B6sse=%20", undefined],
    ["name=gr%C3%B6%C3%9Fe", { name: "größe" }],
    ["empty=", { empty: "" }],
    ["twice=1,twice=2", { twice: "2" }],
  ] as const;
  for (const [text, attributes] of taken) {
    test(`${attributes === undefined ? "refuses" : "takes"} ${JSON.stringify(text)}`, () => {
      const parsed = parseResourceAttributes(text);
      if (attributes === undefined) expect(parsed.ok).toBe(false);
      else expect(parsed).toMatchObject({ ok: true, value: attributes });
    });
  }

  const many = Array.from({ length: 65 }, (_, index) => `a${index}=x`).join(",");
  for (const text of ["no pair", "=x", "a=%", "a=%ff", "two words=x", many]) {
    test(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(parseResourceAttributes(text).ok).toBe(false);
    });
  }
});
