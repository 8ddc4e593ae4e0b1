import type { ChartValue } from "./chart-value.ts";
import { text } from "./value-schemas.ts";

/** The place of images, in every chart. */
export const registryValues: readonly ChartValue[] = [
  {
    path: "registry",
    default: "",
    schema: { ...text, pattern: "^([a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*/?)?$" },
    meaning:
      "The place that `make push` has pushed the images to: HOST[:PORT][/PATH]. Images that are not named have its name before theirs, and the chart's version. `global.registry` says the same to a chart and those that it depends on.",
  },
];
