import { describe, expect, test } from "bun:test";
import { deliveryMethods } from "@svc/settings";
import { aboutEnviron, deliveryTraits, mayTrace, showsValues } from "./delivery-traits.ts";

describe("a setting for the delivery", () => {
  for (const [setting, expected] of [
    ["auto", true],
    ["inject", true],
    ["library", false],
    ["preload", false],
    ["env", false],
    ["a typing error", false],
    ["toString", false],
  ] as const) {
    test(`${setting} leads to ${expected ? "the tracer" : "no tracer"}`, () => {
      expect(mayTrace(setting)).toBe(expected);
    });
  }
});

test("only env shows values", () => {
  expect(deliveryMethods.filter(showsValues)).toEqual(["env"]);
});

test("values get into a program in one way, or by its environment", () => {
  for (const method of deliveryMethods) {
    const { isTraced, isInterposed, isOpened } = deliveryTraits[method];
    const ways = [isTraced, isInterposed, isOpened, showsValues(method)];
    expect(ways.filter(Boolean)).toHaveLength(1);
  }
});

test("programs that read their environ are warned of inject and preload alone", () => {
  const warned = deliveryMethods.filter((method) => aboutEnviron(method) !== undefined);
  expect(warned.toSorted()).toEqual(["inject", "preload"]);
});
