import type { FlagRules } from "@svc/settings";
import { agentVariables } from "./agent-variables.ts";
import { permitVariables } from "./permit-variables.ts";
import { processVariables } from "./process-variables.ts";
import { secretVariables } from "./secret-variables.ts";
import { serverVariables } from "./server-variables.ts";
import { vaultVariables } from "./vault-variables.ts";

/** Every setting of the wrapper. The reference page and `--help` are made of this table. */
export const wrapperVariables = {
  ...vaultVariables,
  ...secretVariables,
  ...processVariables,
  ...permitVariables,
  ...agentVariables,
  ...serverVariables,
};

/** The type of the table above. */
export type WrapperTable = typeof wrapperVariables;

const noToken = {
  wanted: "left out",
  hint: "every user of the machine can read a command line: set VAULT_TOKEN_FILE or VAULT_TOKEN",
};

/** Flags that people will try and that must not exist. */
export const refusedFlags: FlagRules["refused"] = new Map([
  ["vault-token", noToken],
  ["token", noToken],
  [
    "once-ready",
    {
      wanted: "the first word",
      hint: "svc-wrapper --once-ready [-- COMMAND ARGUMENT...] has no other flags",
    },
  ],
  [
    "once-serving",
    {
      wanted: "the first word",
      hint: "svc-wrapper --once-serving [-- COMMAND ARGUMENT...] has no other flags",
    },
  ],
  [
    "install",
    { wanted: "the first word", hint: "svc-wrapper --install FOLDER has no other flags" },
  ],
  ["secret-fd", { wanted: "left out", hint: "the wrapper sets SVC_SECRET_FD for the program" }],
]);
