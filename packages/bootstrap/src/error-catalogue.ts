/** Every way in which the bootstrap itself fails; what the store said is a `VaultError`. */
export const bootstrapErrorCatalogue = {
  SEAL_UNSUPPORTED: {
    meaning: "the store does not split its key by Shamir's scheme: something else unseals it",
    hint: "initialise it as its seal needs it; there are no key shares to keep",
  },
  INIT_ANSWER_LOST: {
    meaning: "the store was initialised and its answer, with the only key shares, did not arrive",
    hint: "unless somebody else has just initialised it, it is empty and can never be unsealed: delete its storage and run this again",
  },
  INIT_OUTCOME_UNKNOWN: {
    meaning: "the initialisation failed, and the store does not say whether it took place",
    hint: "once the store answers, run this again: it finds out, and never initialises twice",
  },
  SHARES_INSUFFICIENT: {
    meaning: "there are fewer different key shares than the store needs",
    hint: "give as many as its threshold",
  },
  STILL_SEALED: {
    meaning: "enough key shares were given, and the node did not open in time",
    hint: "read the node's log: it may not reach its cluster's leader, or the shares are another store's",
  },
  STILL_ALONE: {
    meaning: "the node has taken the order to join its cluster, and did not do so in time",
    hint: "read the node's log: it may not reach the leader's cluster address",
  },
  MOUNT_IN_THE_WAY: {
    meaning: "where the KV version 2 engine is wanted there is something else; nothing was changed",
    hint: "choose another BOOTSTRAP_KV_PATH, or move what is there",
  },
  AUTH_IN_THE_WAY: {
    meaning:
      "where the Kubernetes auth method is wanted there is something else; nothing was changed",
    hint: "choose another BOOTSTRAP_AUTH_PATH, or move what is there",
  },
  REVIEWER_IN_THE_WAY: {
    meaning:
      "the auth method's configuration differs and has a reviewer's token of somebody else; nothing was changed",
    hint: "tokens cannot be read back, so a change would lose it: write the configuration yourself",
  },
  NOT_KEPT: {
    meaning: "the store took a change and still says something else",
    hint: "somebody else may change it at the same time: run this again",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `BootstrapError`. */
export type BootstrapErrorCode = keyof typeof bootstrapErrorCatalogue;
