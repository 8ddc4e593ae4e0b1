import { flagOnly, parseGoBoolean, variable } from "@svc/settings";
import { parsePodPrefix } from "./kubernetes-name.ts";

const group = "Reset of a store whose keys were lost";

/** What a reset deletes. */
export const diskVariables = {
  dataClaim: variable({
    name: "STORE_DATA_CLAIM",
    flag: "data-claim",
    group,
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
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Deletes the first pod and its disk, and begins anew, where a run has initialised the store, was ended before it stored the keys, and the store was provably never unsealed. Needs the right to get and delete that claim and to delete that pod.",
  }),
  ...diskVariables,
};

/** What `svc secretstore reset` alone knows. */
export const resettingVariables = {
  delete: flagOnly({
    name: "--delete",
    group,
    type: "boolean",
    parse: parseGoBoolean,
    meaning: "Deletes what the command would only name without it.",
  }),
  ...diskVariables,
};
