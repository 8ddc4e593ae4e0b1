import { encryptionVariables, shamirVariables, unsealingVariables } from "./key-variables.ts";
import { accessVariables, hintsVariables, reviewVariables } from "./role-variables.ts";
import {
  outputVariables,
  resettingVariables,
  resetVariables,
  runVariables,
} from "./run-variables.ts";
import { clusterVariables, storeVariables, tlsVariables } from "./store-variables.ts";

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

/**
 * Every setting of `svc secretstore init`. The reference page and `--help` are made of this table.
 */
export const bootstrapVariables = {
  ...storeVariables,
  ...shamirVariables,
  ...encryptionVariables,
  ...accessVariables,
  ...hintsVariables,
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
