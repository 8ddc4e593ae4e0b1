import { flagSections } from "@svc/settings";
import { certificateFlags } from "./certificate-flags.ts";
import { hintFlags } from "./hint-flags.ts";
import { imageFlags, imageLoginFlags } from "./image-flags.ts";
import { injectionFlags } from "./injection-flags.ts";
import { clusterFlags, permitFlags, servingFlags } from "./process-flags.ts";

/**
 * Every flag of `svc-operator`, of which the reference page, `--help` and the chart's values are
 * made.
 */
export const operatorFlags = {
  ...injectionFlags,
  ...imageFlags,
  ...imageLoginFlags,
  ...servingFlags,
  ...certificateFlags,
  ...permitFlags,
  ...hintFlags,
  ...clusterFlags,
};

/** The type of the table. */
export type OperatorFlags = typeof operatorFlags;

const introduction = `usage: svc-operator [FLAGS]

The mutating webhook that gives pods the wrapper and its settings, and the controller of
SvcConfigs. It reads its flags, the files of its service account, and the Kubernetes API.
For --registry-logins it also reads the variables of cloud identities. The Helm chart
"svc" installs it.

  svc-operator --wrapper-image=registry.example/svc:1.0.0

Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone.`;

/** The text of `svc-operator --help`. */
export function operatorHelp(): string {
  return `${introduction}\n\n${flagSections(operatorFlags)}\n`;
}
