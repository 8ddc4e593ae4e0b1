import { accessVariables } from "./access-variables.ts";
import { encryptionVariables } from "./encryption-variables.ts";
import { storeVariables } from "./store-variables.ts";
import { tlsVariables } from "./tls-variables.ts";

/** Every setting of `svc secretstore init`. The reference page and `--help` are made of this table. */
export const bootstrapVariables = {
  ...storeVariables,
  ...encryptionVariables,
  ...accessVariables,
  ...tlsVariables,
};

/** The type of the table above. */
export type BootstrapTable = typeof bootstrapVariables;
