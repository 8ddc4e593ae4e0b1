import { flagOnly, parseGoBoolean, variable } from "@svc/settings";

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
