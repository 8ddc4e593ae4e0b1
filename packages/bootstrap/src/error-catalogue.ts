import { kubernetesErrorCatalogue } from "@svc/kubernetes";

/** Every way in which the bootstrap itself fails; what the store said is a `VaultError`. */
export const bootstrapErrorCatalogue = {
  SEAL_UNSUPPORTED: {
    meaning: "the store does not split its key by Shamir's scheme: something else unseals it",
    hint: "initialise it as its seal needs it; there are no key shares to keep",
  },
  PGP_KEY_UNUSABLE: {
    meaning: "a file is not the one OpenPGP public key that it should be; nothing was changed",
    hint: "gpg --armor --export KEY writes such a file",
  },
  AGE_RECIPIENT_UNUSABLE: {
    meaning: "a recipient of age cannot be encrypted to; nothing was changed",
    hint: "age-keygen -y FILE prints the recipient of an identity",
  },
  INIT_ANSWER_LOST: {
    meaning: "the store was initialised and its answer, with the only key shares, did not arrive",
    hint: "unless another run has just initialised it, it is empty and can never be unsealed: svc secretstore reset proves that and deletes its storage; then run this again",
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
  FILES_UNUSABLE: {
    meaning: "files that the settings name cannot be read, or hold something else",
    hint: "correct the named files, or leave the variables unset",
  },
  PODS_NOT_READY: {
    meaning: "the store's pods are not there, or do not answer, and a decision needs what they say",
    hint: "kubectl describe says what a pod waits for; they are found by STORE_RELEASE_NAME in their label app.kubernetes.io/instance, or by STORE_POD_PREFIX in their names, and reached by the names that the cluster's DNS gives them",
  },
  PODS_AMBIGUOUS: {
    meaning: "pods of several StatefulSets have the release's label; nothing was changed",
    hint: "set STORE_POD_PREFIX to what stands before -0 in the name of the store's first pod",
  },
  PODS_LEFT: {
    meaning: "some of the store's pods were not unsealed in time; everything else was done",
    hint: "once they run, run this again or svc secretstore unseal",
  },
  SHARES_ENCRYPTED: {
    meaning:
      "the key shares in the output Secret are encrypted: only who has the keys can use them",
    hint: "each holder decrypts a share and gives it to svc secretstore unseal --shares-stdin; then run this again",
  },
  ROOT_TOKEN_MISSING: {
    meaning: "the store is to be looked at or changed, and no usable root token is at hand",
    hint: "give an administrator's with --token-stdin, or a root token made with bao operator generate-root, for which OpenBao from 2.5.3 on wants a token as well or a listener that allows it without",
  },
  OUTPUT_MISSING: {
    meaning: "the store is initialised, and the output Secret with its keys is not there",
    hint: "name the Secret that has them in BOOTSTRAP_OUTPUT_SECRET, or put it back; for a store that nobody needs: delete its storage",
  },
  OUTPUT_FOREIGN: {
    meaning: "the output Secret is there and is not as this command leaves it; nothing was changed",
    hint: "with unseal-key entries it has a store's keys: never delete it, and undo what was changed in it; else choose another BOOTSTRAP_OUTPUT_SECRET",
  },
  OUTPUT_RESERVED: {
    meaning: "another run holds the output Secret",
    hint: "let it finish; once its reservation is three minutes old another run takes it over",
  },
  OUTPUT_UNFINISHED: {
    meaning: "the output Secret is reserved without keys, and the store is initialised",
    hint: "if another run is at work, let it finish; else the keys are lost, and svc secretstore reset says whether it can prove that the store is empty",
  },
  STORE_RESET: {
    meaning: "another run has reset the store while this one initialised it: its keys are void",
    hint: "the other run initialises the store anew: run this again once it has ended",
  },
  RESET_REFUSED: {
    meaning: "the store may hold data, or its keys may be in use; nothing was changed",
    hint: "see to what the message says; a store that you know to be empty: delete its storage and the Secret yourself",
  },
  OUTPUT_OF_ANOTHER_STORE: {
    meaning: "the keys in the output Secret are not this store's",
    hint: "choose another BOOTSTRAP_OUTPUT_SECRET; after a rekey, put the new shares into it",
  },
  STORE_EMPTY: {
    meaning: "there are keys in the output Secret, and the store is not initialised",
    hint: "if its storage was to be deleted, delete the Secret as well; else find out where the storage is",
  },
  OUTPUT_NOT_KEPT: {
    meaning: "the output Secret was written and, read back, is not what was written",
    hint: "somebody else changes it, or an admission webhook does: make it leave this Secret alone",
  },
  OUTPUT_BESIDE: {
    meaning:
      "the store was initialised, and meanwhile its Secret's name was taken: its keys are in another Secret",
    hint: "look at what is in the way; then copy the keys to where they belong, with type, labels and annotations",
  },
  KEYS_NOT_STORED: {
    meaning: "the store was initialised and its keys could not be written anywhere: they are lost",
    hint: "the store is empty: see to what the message says, then svc secretstore reset deletes its storage; run this again",
  },
  ...kubernetesErrorCatalogue,
  KUBERNETES_DENIED: {
    ...kubernetesErrorCatalogue.KUBERNETES_DENIED,
    hint: "the account needs get and update for the output Secret, create for Secrets where it is not there yet, and list for pods; a reset also get and delete for the first pod's claim and delete for that pod; a quota or a namespace that is being deleted refuses in the same way",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `BootstrapError`. */
export type BootstrapErrorCode = keyof typeof bootstrapErrorCatalogue;
