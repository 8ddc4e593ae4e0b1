import { flagOnly, parseGoBoolean, parsePlainText } from "@svc/settings";
import { clusterFlags, group } from "../cluster/cluster-flags.ts";

/** The flags of `svc status`. */
export const statusFlags = {
  ...clusterFlags,
  allNamespaces: flagOnly({
    name: "--all-namespaces",
    short: "A",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "Looks at the pods of all namespaces.",
  }),
  path: flagOnly({
    name: "--path",
    group,
    type: "text",
    parse: parsePlainText,
    meaning:
      "Shows this secret alone, and each program that has it, the oldest version first. As in SVC_SECRET_PATHS: `secret/data/db`.",
  }),
};
