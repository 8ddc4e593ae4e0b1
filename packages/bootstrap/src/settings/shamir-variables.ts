import { variable } from "@svc/settings";
import { parseShareCount } from "./share-count.ts";

const group = "Key shares";

/** How the store's key is split. */
export const shamirVariables = {
  shares: variable({
    name: "BOOTSTRAP_SHAMIR_SHARES",
    flag: "shamir-shares",
    group,
    type: "number",
    default: "5",
    parse: parseShareCount,
    meaning: "Number of key shares that the initialisation makes. From 1 to 255.",
  }),
  threshold: variable({
    name: "BOOTSTRAP_SHAMIR_THRESHOLD",
    flag: "shamir-threshold",
    group,
    type: "number",
    default: "3",
    parse: parseShareCount,
    meaning:
      "Number of key shares that unseal. At most the number of shares; at least 2, and 1 where there is one share.",
  }),
};
