import { describe, expect, test } from "bun:test";
import { choicesOf, type Variable } from "../../../packages/settings/src/index.ts";
import { agentSettings } from "./agent-values.ts";
import { operatorSettings } from "./operator-settings.ts";
import { chartSettings } from "./secretstore-settings.ts";
import { settingGroups } from "./setting-value.ts";

const tables: Readonly<Record<string, readonly Variable[]>> = {
  operator: operatorSettings,
  agent: agentSettings,
  secretstore: chartSettings,
};

for (const [program, rows] of Object.entries(tables)) {
  describe(`the chart's choices for the ${program}`, () => {
    const values = settingGroups(rows, { parent: program, structured: program !== "secretstore" });
    for (const { sets, schema } of values.flatMap((group) => group.values)) {
      const row = rows.find(({ name }) => name === sets);
      const choices = choicesOf(row?.parse);
      if (choices === undefined) continue;

      test(`of ${sets} are those that it accepts, or nothing`, () => {
        expect(schema).toEqual({ enum: ["", ...choices] });
        for (const choice of choices) expect(row?.parse?.(choice).ok).toBe(true);
      });
    }

    test("are closed for one setting at least", () => {
      expect(rows.some(({ parse }) => choicesOf(parse) !== undefined)).toBe(true);
    });
  });
}
