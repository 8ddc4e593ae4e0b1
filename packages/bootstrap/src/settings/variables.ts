import { accessVariables } from "./access-variables.ts";
import { clusterVariables } from "./cluster-variables.ts";
import { encryptionVariables } from "./encryption-variables.ts";
import { outputVariables } from "./output-variables.ts";
import { resettingVariables, resetVariables } from "./reset-variables.ts";
import { reviewVariables } from "./review-variables.ts";
import { runVariables } from "./run-variables.ts";
import { shamirVariables } from "./shamir-variables.ts";
import { storeVariables } from "./store-variables.ts";
import { tlsVariables } from "./tls-variables.ts";
import { unsealingVariables } from "./unseal-variables.ts";

/** The settings of every command about a store; `svc secretstore status` has only these. */
export const statusVariables = {
  ...storeVariables,
  ...tlsVariables,
  ...clusterVariables,
  ...outputVariables,
};

/** Every setting of `svc secretstore unseal`. */
export const unsealVariables = { ...statusVariables, ...unsealingVariables };

/** Every setting of `svc secretstore reset`. */
export const resetCommandVariables = { ...statusVariables, ...resettingVariables };

/** Every setting of `svc secretstore init`. The reference page and `--help` are made of this table. */
export const bootstrapVariables = {
  ...storeVariables,
  ...shamirVariables,
  ...encryptionVariables,
  ...accessVariables,
  ...reviewVariables,
  ...runVariables,
  ...resetVariables,
  ...tlsVariables,
  ...clusterVariables,
  ...outputVariables,
};

/** The types of the tables above. */
export type StatusTable = typeof statusVariables;
export type UnsealTable = typeof unsealVariables;
export type BootstrapTable = typeof bootstrapVariables;
