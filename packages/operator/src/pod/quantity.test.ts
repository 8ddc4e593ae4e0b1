import { expect, test } from "bun:test";
import { quantityOf } from "./quantity.ts";

test("quantities are read as Kubernetes writes them", () => {
  const cases: Readonly<Record<string, number | undefined>> = {
    ...{ "0": 0, "1": 1, "1.5Gi": 1_610_612_736, "500m": 0.5, "100Ki": 102_400, "2M": 2_000_000 },
    ...{ "1e3": 1000, "12E2": 1200, "1E": 1e18, ".5": 0.5, "+1k": 1000, "-1": -1, "1.": 1 },
    ...{ "": undefined, Gi: undefined, "1gi": undefined, "1 Gi": undefined, "1e": undefined },
  };
  expect(Object.keys(cases).map(quantityOf)).toEqual(Object.values(cases));
  expect(quantityOf(7)).toBe(7);
});
