import type { ChartValue } from "./chart-value.ts";
import { text } from "./value-schemas.ts";

/** Where images are, in every chart. */
export const registryValues: readonly ChartValue[] = [
  {
    path: "registry",
    default: "",
    schema: { ...text, pattern: "^([a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*/?)?$" },
    meaning:
      "Where `make push` has pushed the images: HOST[:PORT][/PATH]. Images that are not named have its name before theirs, and the chart's version. `global.registry` says the same to a chart and those that it depends on.",
  },
];
