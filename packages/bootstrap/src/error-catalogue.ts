import { kubernetesErrorCatalogue } from "@svc/kubernetes";

/** Every way in which the bootstrap itself fails; the store's errors are `VaultError`s. */
export const bootstrapErrorCatalogue = {
  SEAL_UNSUPPORTED: {
    meaning: "the store does not split its key by Shamir's scheme: another seal unseals it",
    hint: "initialise it as its seal requires; there are no key shares to keep",
  },
  PGP_KEY_UNUSABLE: {
    meaning: "a file is not the one OpenPGP public key that it should be; nothing was changed",
    hint: "gpg --armor --export KEY writes such a file",
  },
  AGE_RECIPIENT_UNUSABLE: {
    meaning: "age cannot encrypt to a recipient; nothing was changed",
    hint: "age-keygen -y FILE prints the recipient of an identity",
  },
  INIT_ANSWER_LOST: {
    meaning: "the store was initialised, and its answer with the only key shares did not arrive",
    hint: "unless another run has just initialised the store, it is empty and can never be unsealed. svc secretstore reset proves that and deletes its storage. Then run this again",
  },
  INIT_OUTCOME_UNKNOWN: {
    meaning: "the initialisation failed, and the store does not say whether it is initialised",
    hint: "once the store answers, run this again: it checks the store, and never initialises twice",
  },
  SHARES_INSUFFICIENT: {
    meaning: "there are fewer different key shares than the store needs",
    hint: "give as many as the store's threshold",
  },
  STILL_SEALED: {
    meaning: "the node got enough key shares, and did not unseal in time",
    hint: "read the node's log: it may not reach its cluster's leader, or the shares may belong to another store",
  },
  STILL_ALONE: {
    meaning: "the node accepted the order to join its cluster, and did not join in time",
    hint: "read the node's log: it may not reach the leader's cluster address",
  },
  MOUNT_IN_THE_WAY: {
    meaning: "the path of the KV version 2 engine has another mount; nothing was changed",
    hint: "choose another BOOTSTRAP_KV_PATH, or move the other mount",
  },
  AUTH_IN_THE_WAY: {
    meaning: "the path of the Kubernetes auth method has another mount; nothing was changed",
    hint: "choose another BOOTSTRAP_AUTH_PATH, or move the other mount",
  },
  REVIEWER_IN_THE_WAY: {
    meaning:
      "the auth method's configuration differs and has another reviewer's token; nothing was changed",
    hint: "tokens cannot be read back, so a change would lose it: write the configuration yourself",
  },
  NOT_KEPT: {
    meaning: "the store accepted a change, and a later read differs from it",
    hint: "another client may change it at the same time: run this again",
  },
  FILES_UNUSABLE: {
    meaning: "files that the settings name cannot be read, or have unexpected contents",
    hint: "correct the named files, or leave the variables unset",
  },
  PODS_NOT_READY: {
    meaning: "the store's pods are missing or do not answer, and a decision needs their answers",
    hint: "read kubectl describe for the pods. The command finds them by STORE_RELEASE_NAME in their label app.kubernetes.io/instance, or by STORE_POD_PREFIX in their names. It reaches them by the names of the cluster's DNS",
  },
  PODS_AMBIGUOUS: {
    meaning: "pods of several StatefulSets have the release's label; nothing was changed",
    hint: "set STORE_POD_PREFIX to the name of the store's first pod without -0",
  },
  PODS_LEFT: {
    meaning: "some of the store's pods were not unsealed in time; everything else was done",
    hint: "when they run, run this again or svc secretstore unseal",
  },
  SHARES_ENCRYPTED: {
    meaning: "the key shares in the output Secret are encrypted: only their holders can use them",
    hint: "each holder decrypts a share and gives it to svc secretstore unseal --shares-stdin; then run this again",
  },
  ROOT_TOKEN_MISSING: {
    meaning: "the command has to check or change the store, and has no usable root token",
    hint: "give an administrator's token with --token-stdin, or a root token from bao operator generate-root. From 2.5.3 on OpenBao requires a token for that too, or a listener that allows it without one",
  },
  OUTPUT_MISSING: {
    meaning: "the store is initialised, and the output Secret with its keys is not there",
    hint: "name the Secret with the keys in BOOTSTRAP_OUTPUT_SECRET, or restore it. If you do not need the store, delete its storage",
  },
  OUTPUT_FOREIGN: {
    meaning: "the output Secret is not as this command left it; nothing was changed",
    hint: "if the Secret has unseal-key entries, these are a store's keys: never delete it, and undo the change. Else choose another BOOTSTRAP_OUTPUT_SECRET",
  },
  OUTPUT_RESERVED: {
    meaning: "another run holds the output Secret",
    hint: "let it finish. Once its reservation is three minutes old, another run takes over",
  },
  OUTPUT_UNFINISHED: {
    meaning: "the output Secret is reserved without keys, and the store is initialised",
    hint: "if another run is active, let it finish. Else the keys are lost, and svc secretstore reset tries to prove that the store is empty",
  },
  STORE_RESET: {
    meaning: "another run has reset the store while this one initialised it: its keys are void",
    hint: "the other run initialises the store again: run this again once it has ended",
  },
  RESET_REFUSED: {
    meaning: "the store may hold data, or its keys may be in use; nothing was changed",
    hint: "follow the message. If you know that the store is empty, delete its storage and the Secret yourself",
  },
  OUTPUT_OF_ANOTHER_STORE: {
    meaning: "the keys in the output Secret are not this store's",
    hint: "choose another BOOTSTRAP_OUTPUT_SECRET; after a rekey, put the new shares into it",
  },
  STORE_EMPTY: {
    meaning: "there are keys in the output Secret, and the store is not initialised",
    hint: "if you wanted to delete its storage, delete the Secret as well. Else find the storage",
  },
  OUTPUT_NOT_KEPT: {
    meaning: "the output Secret reads back differently from the written data",
    hint: "another client or an admission webhook changes the Secret: make it leave this Secret alone",
  },
  OUTPUT_BESIDE: {
    meaning:
      "the store was initialised, and another Secret took the name meanwhile: its keys are in the Secret that the message names",
    hint: "inspect the other Secret. Then copy the keys to the right name, with type, labels and annotations",
  },
  KEYS_NOT_STORED: {
    meaning: "the store was initialised and its keys could not be written anywhere: they are lost",
    hint: "the store is empty: correct the problem in the message, then svc secretstore reset deletes its storage. Then run this again",
  },
  ...kubernetesErrorCatalogue,
  KUBERNETES_DENIED: {
    ...kubernetesErrorCatalogue.KUBERNETES_DENIED,
    hint: "the account needs get and update for the output Secret, create for Secrets if it does not exist, and list for pods. A reset also needs get and delete for the first pod's claim and delete for that pod. A quota, or a namespace that is being deleted, causes the same refusal",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `BootstrapError`. */
export type BootstrapErrorCode = keyof typeof bootstrapErrorCatalogue;
