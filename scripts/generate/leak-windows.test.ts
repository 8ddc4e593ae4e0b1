import { describe, expect, test } from "bun:test";
import { ATTEMPTS } from "../../e2e/kernels/enforced-table.ts";
import { goldenTable } from "../../e2e/kernels/kernel-table.ts";
import { ATTEMPTS_OF_EACH, measuredBy } from "../../packages/agent/src/testdata/index.ts";

// The kernel whose tier is `tracing`, on which an agent can only kill.
const { attacks } = goldenTable("override-disarmed");

describe("/status has only measured leak windows of killed actors", () => {
  test(`each attack was made ${ATTEMPTS} times`, () => {
    expect(ATTEMPTS_OF_EACH).toBe(ATTEMPTS);
  });

  for (const [row, names = []] of Object.entries(measuredBy)) {
    test(`${row}: all were killed, and none had a byte`, () => {
      for (const name of names) {
        const { outcome, leaked } = attacks[name]?.enforced ?? {};
        expect({ name, outcome, leaked }).toEqual({ name, outcome: "killed", leaked: 0 });
      }
    });
  }

  test("and every attack whose actor was killed is counted in one row", () => {
    const killed = Object.entries(attacks)
      .filter(([, { enforced }]) => enforced?.outcome === "killed")
      .map(([name]) => name);
    expect(Object.values(measuredBy).flat().sort()).toEqual(killed.sort());
  });
});
