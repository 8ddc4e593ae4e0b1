import type { ChartValue } from "./chart-value.ts";

/** The platforms whose needs the chart knows. */
export const platforms = ["eks", "gke", "aks", "openshift", "kind"] as const;

/** The cluster's kind. */
export const platformValues: readonly ChartValue[] = [
  {
    path: "platform",
    default: "",
    schema: { enum: ["", ...platforms] },
    meaning:
      "The cluster's kind: `eks`, `gke`, `aks`, `openshift` or `kind`. It sets the values that this kind needs, unless you set them (docs/guides/platforms.md). Empty: no such kind.",
  },
];
