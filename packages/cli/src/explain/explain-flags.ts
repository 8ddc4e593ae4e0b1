import { flagOnly, parseGoBoolean } from "@svc/settings";
import { clusterFlags, group } from "../cluster/cluster-flags.ts";

/** The flags of `svc explain`. */
export const explainFlags = {
  ...clusterFlags,
  lookUpImages: flagOnly({
    name: "--look-up-images",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Asks registries for the commands of images, from this machine and without pull secrets. Without it these stay unknown.",
  }),
};
