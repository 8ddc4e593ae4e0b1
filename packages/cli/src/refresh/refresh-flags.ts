import { flagOnly, parseDurationBetween, parseGoBoolean } from "@svc/settings";
import { clusterFlags, group } from "../cluster/cluster-flags.ts";

/** The flags of `svc refresh`. */
export const refreshFlags = {
  ...clusterFlags,
  wait: flagOnly({
    name: "--wait",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Waits until each program has the newest values. `--wait=false` only begins the checks.",
  }),
  timeoutMs: flagOnly({
    name: "--timeout",
    group,
    type: "duration",
    default: "15m",
    parse: parseDurationBetween({ least: "1s", most: "24h" }),
    meaning:
      "How long the command waits for all of them. Rotations that wait for permits take the time in which pod after pod becomes Ready.",
  }),
  dryRun: flagOnly({
    name: "--dry-run",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "Lists the wrappers that would be asked, and asks none.",
  }),
};
