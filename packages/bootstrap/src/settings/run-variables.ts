import {
  flagOnly,
  parseDurationBetween,
  parseGoBoolean,
  parseOneOf,
  variable,
} from "@svc/settings";
import { parsePodPrefix } from "./names.ts";

const group = "This run";

/** Additional and omitted steps of a run of `svc secretstore init`. */
export const runVariables = {
  revokeRoot: variable({
    name: "BOOTSTRAP_REVOKE_ROOT",
    flag: "revoke-root",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Revokes the root token after the set-up, and removes it from the Secret. First make sure that another account may administer the store.",
  }),
  dryRun: flagOnly({
    name: "--dry-run",
    group,
    type: "boolean",
    parse: parseGoBoolean,
    meaning: "Prints the planned changes, and changes nothing.",
  }),
  tokenStdin: flagOnly({
    name: "--token-stdin",
    group,
    type: "boolean",
    parse: parseGoBoolean,
    meaning:
      "Reads the token to set the store up with from standard input, in place of the Secret's root token.",
  }),
};

const outputGroup = "Output";

/** The output of the command. */
export const outputVariables = {
  output: flagOnly({
    name: "--output",
    short: "o",
    group: outputGroup,
    type: "word",
    parse: parseOneOf(["text", "json"]),
    meaning: "`text`, or `json`: one JSON object a line. Default `text`.",
  }),
};

const resetGroup = "Reset of a store whose keys were lost";

/** The settings of a reset. */
export const diskVariables = {
  settleMs: variable({
    name: "BOOTSTRAP_RESET_SETTLE",
    flag: "reset-settle",
    group: resetGroup,
    type: "duration",
    default: "15s",
    parse: parseDurationBetween({ least: "0s", most: "10m" }),
    meaning:
      "How long the proof has to hold before anything is deleted: a kubelet reports a restart of the store some seconds late. From 0s to 10m.",
  }),
  dataClaim: variable({
    name: "STORE_DATA_CLAIM",
    flag: "data-claim",
    group: resetGroup,
    type: "name",
    default: "data",
    parse: parsePodPrefix,
    meaning:
      "Name of the claim template of the store's data: the claim of the pod `store-0` is `data-store-0`.",
  }),
};

/** Whether `svc secretstore init` may reset the store by itself. */
export const resetVariables = {
  resetUnfinished: variable({
    name: "BOOTSTRAP_RESET_UNFINISHED",
    flag: "reset-unfinished",
    group: resetGroup,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Deletes the first pod and its disk and starts over, if a run initialised the store and ended before it stored the keys. The command first proves that the store was never unsealed. Needs permission to get and delete that claim and to delete that pod.",
  }),
  ...diskVariables,
};

/** What `svc secretstore reset` alone knows. */
export const resettingVariables = {
  delete: flagOnly({
    name: "--delete",
    group: resetGroup,
    type: "boolean",
    parse: parseGoBoolean,
    meaning: "Deletes the objects. Without it the command only names them.",
  }),
  ...diskVariables,
};
