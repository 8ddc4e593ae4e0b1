import { agentVariables } from "./agent-variables.ts";
import { processVariables } from "./process-variables.ts";
import { secretVariables } from "./secret-variables.ts";
import { serverVariables } from "./server-variables.ts";
import { vaultVariables } from "./vault-variables.ts";

/** Every setting of the wrapper. The reference page and `--help` are made of this table. */
export const wrapperVariables = {
  ...vaultVariables,
  ...secretVariables,
  ...processVariables,
  ...agentVariables,
  ...serverVariables,
};

/** The type of the table above. */
export type WrapperTable = typeof wrapperVariables;
