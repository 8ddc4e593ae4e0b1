import { certificateFlags } from "./certificate-flags.ts";
import { clusterFlags } from "./cluster-flags.ts";
import { imageFlags } from "./image-flags.ts";
import { imageLoginFlags } from "./image-login-flags.ts";
import { injectionFlags } from "./injection-flags.ts";
import { servingFlags } from "./serving-flags.ts";

/** Every flag of `svc-operator`, of which the reference page, `--help` and the chart's values are made. */
export const operatorFlags = {
  ...injectionFlags,
  ...imageFlags,
  ...imageLoginFlags,
  ...servingFlags,
  ...certificateFlags,
  ...clusterFlags,
};

/** The type of the table. */
export type OperatorFlags = typeof operatorFlags;
