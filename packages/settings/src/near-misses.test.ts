import { describe, expect, test } from "bun:test";
import { nearMisses } from "./near-misses.ts";
import { table } from "./testdata/variable-table.ts";

describe("nearMisses", () => {
  const rules = { table, prefixes: ["SVC_", "VAULT_"] };
  const cases: readonly (readonly [name: string, near: string | undefined])[] = [
    ["SVC_SECRET_PATH", "SVC_SECRET_PATHS"],
    ["VAULT_ADRR", "VAULT_ADDR"],
    ["SVC_ROTATOIN", "SVC_ROTATION"],
    ["SVC_SECRET_PATHS", undefined],
    ["SECRET_PATHS", undefined],
    ["SVC_PORT", undefined],
    ["SVC_SERVICE_HOST", undefined],
    ["SVC_PORT_8199_TCP_PROTO", undefined],
    ["VAULT_PORT", undefined],
    ["VAULT_SERVICE_PORT", undefined],
    ["VAULT_API_ADDR", undefined],
    ["SECRET_PATH", undefined],
    ["SVC_ROTATION\n", undefined],
  ];
  for (const [name, near] of cases) {
    test(`${near === undefined ? "leaves alone" : "warns about"} ${JSON.stringify(name)}`, () => {
      const warnings =
        near === undefined
          ? []
          : [`${name}: is not a variable of ours and has no effect: did you mean ${near}?`];
      expect(nearMisses([name], rules)).toEqual(warnings);
    });
  }
});
