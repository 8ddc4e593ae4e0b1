import { flagSections } from "@svc/settings";
import { wrapperVariables } from "./variables.ts";

const introduction = `usage: svc-wrapper [FLAGS] -- PROGRAM [ARGUMENT...]
       svc-wrapper [FLAGS]          the program is in SVC_ORIGINAL_CMD
       svc-wrapper --once-ready [-- COMMAND [ARGUMENT...]]
       svc-wrapper --once-serving [-- COMMAND [ARGUMENT...]]
       svc-wrapper --install FOLDER

Fetches secrets from a vault, starts the program with them, and stays as its
parent: it forwards signals, reaps orphans and answers health checks.

  svc-wrapper --vault-addr=https://vault.example:8200 --vault-auth-role=app \\
    --secrets=DB_PASSWORD,API_KEY=secret/data/api#key -- ./server --port 80

--once-ready is for probes: it asks GET /readyz of the wrapper that runs at
HEALTH_ADDR. After 200 it becomes COMMAND. Without a COMMAND it exits with 0.
Otherwise it exits with 1. --once-serving asks GET /readyz/program, which also
fails while the program is about to be replaced.

--install is for init containers: it copies the wrapper's bundle into FOLDER,
only the files that are missing, and exits with 0.

Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone. A flag wins
over its variable. An empty variable counts as not set.`;

/** The text of `--help`: every flag with its variable, by group. */
export function helpText(): string {
  return `${introduction}\n\n${flagSections(wrapperVariables)}\n`;
}
