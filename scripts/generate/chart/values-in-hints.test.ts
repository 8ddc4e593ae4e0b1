import { expect, test } from "bun:test";
import { imageErrorCatalogue } from "../../../packages/operator/src/index.ts";
import { svcValues } from "./svc-chart.ts";

const paths = new Set(svcValues.flatMap(({ values }) => values.map(({ path }) => path)));

test.each(Object.entries(imageErrorCatalogue))(
  "the hint of %s names values that the chart has",
  (_, { hint }) => {
    const named = hint.match(/\boperator\.[A-Za-z.]*[A-Za-z]/g) ?? [];
    expect(named.filter((path) => !paths.has(path))).toEqual([]);
  },
);

test("the hint for a registry's private authority names the values for its file", () => {
  const { hint } = imageErrorCatalogue.TLS;
  for (const name of ["settings.registryCaFiles", "extraVolumes", "extraVolumeMounts"]) {
    expect(hint).toContain(`operator.${name}`);
  }
});
