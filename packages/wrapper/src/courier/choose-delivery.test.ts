import { describe, expect, test } from "bun:test";
import { chooseDelivery, type DeliveryRung } from "./choose-delivery.ts";

describe("chooseDelivery", () => {
  const rows: readonly (readonly [
    setting: "auto" | DeliveryRung,
    importsLibrary: boolean,
    rung: DeliveryRung,
    reason: string,
  ])[] = [
    ["auto", true, "library", "the program uses the Go library"],
    ["auto", false, "env", "the program does not use the Go library"],
    ["library", false, "library", "SVC_DELIVERY is library"],
    ["env", true, "env", "SVC_DELIVERY is env"],
  ];
  for (const [setting, imports, rung, reason] of rows) {
    test(`takes ${rung} for ${setting} where the program ${imports ? "has" : "lacks"} the library`, () => {
      expect(chooseDelivery(setting, () => imports)).toEqual({ rung, reason });
    });
  }

  for (const setting of ["library", "env"] as const) {
    test(`does not look at the program where the setting is ${setting}`, () => {
      let looked = false;
      chooseDelivery(setting, () => {
        looked = true;
        return true;
      });
      expect(looked).toBe(false);
    });
  }
});
