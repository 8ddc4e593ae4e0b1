import {
  bootstrapVariables,
  resetCommandVariables,
  statusVariables,
  unsealVariables,
} from "@svc/bootstrap";
import { flagSections } from "@svc/settings";

/** The commands below `svc secretstore`. */
export type SecretstoreCommand = "init" | "unseal" | "status" | "reset";

const tables = {
  init: bootstrapVariables,
  unseal: unsealVariables,
  status: statusVariables,
  reset: resetCommandVariables,
};

const introductions: Readonly<Record<SecretstoreCommand, string>> = {
  init: `usage: svc secretstore init [FLAGS]

Initialises a Vault or OpenBao that runs in Kubernetes, and unseals every pod. It keeps
the key shares and the root token in a Kubernetes Secret. It makes the KV engine, the
Kubernetes auth method, the policy, and the role with which svc-wrapper logs in. Every
step looks first and changes only differences. You can run the command again at any
time, also after it was killed.

  svc secretstore init --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --role-bound-sa-namespaces=shop --role-audience=vault

It reaches the pods by the names that the cluster's DNS gives them. So run it in the
cluster, for example as a Job.`,
  unseal: `usage: svc secretstore unseal [FLAGS]

Unseals every pod of an initialised store with the key shares of the output Secret, or
with shares that you type or pipe in. Pods with new disks join the cluster first.

  svc secretstore unseal --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --shares-stdin`,
  status: `usage: svc secretstore status [FLAGS]

Shows the state of every pod of the store, and the entries of the output Secret without
their values. It exits with 0 if every pod is unsealed, and with 2 otherwise. It exits
with 3 if the Secret is damaged, or has the keys of another store.

  svc secretstore status --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store`,
  reset: `usage: svc secretstore reset [FLAGS]

For a store that svc secretstore init initialised without storing the keys, because the
run ended in between. The command proves that the store was never unsealed, and names
the disk and the pod to delete. With --delete it deletes them. Then run init again. It
refuses everything that it cannot prove, with every reason.

  svc secretstore reset --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --delete`,
};

const outro = `Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone. A flag wins
over its variable. An empty variable counts as not set.`;

/** The text of `svc secretstore COMMAND --help`. */
export function helpText(command: SecretstoreCommand): string {
  return `${introductions[command]}\n\n${outro}\n\n${flagSections(tables[command])}\n`;
}
