import { flagOnly, parseGoBoolean } from "@svc/settings";

/** What `svc secretstore unseal` alone knows. */
export const unsealingVariables = {
  sharesStdin: flagOnly({
    name: "--shares-stdin",
    group: "Key shares",
    type: "boolean",
    parse: parseGoBoolean,
    meaning:
      "Takes key shares from standard input, one a line, in place of the Secret's; on a terminal they are asked for and not shown.",
  }),
};
