import { flagSections } from "@svc/settings";
import { operatorFlags } from "./operator-flags.ts";

const introduction = `usage: svc-operator [FLAGS]

The mutating webhook that gives pods the wrapper and its settings, and the keeper of
SvcConfigs. Flags, the files of its service account, and the Kubernetes API are all
that it goes by. Of its environment it reads the variables of identities at clouds,
and those only for --registry-logins. It is meant to be installed by the Helm chart
"svc".

  svc-operator --wrapper-image=registry.example/svc:1.0.0

Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone.`;

/** The text of `svc-operator --help`. */
export function operatorHelp(): string {
  return `${introduction}\n\n${flagSections(operatorFlags)}\n`;
}
