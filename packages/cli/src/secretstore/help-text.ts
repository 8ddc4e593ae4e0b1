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

Initialises a Vault or OpenBao that runs in Kubernetes, keeps its key shares and
root token in a Kubernetes Secret, unseals every pod, and makes the KV engine, the
Kubernetes auth method, the policy and the role that svc-wrapper logs in with.
Every step looks first and changes what differs: it can be run again at any time,
also after it was killed.

  svc secretstore init --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --role-bound-sa-namespaces=shop --role-audience=vault

The pods are reached by the names that the cluster's DNS gives them: run it in the
cluster, for example as a Job.`,
  unseal: `usage: svc secretstore unseal [FLAGS]

Unseals every pod of an initialised store with the key shares of the output Secret,
or with those that are typed or piped in. Pods with new disks join the cluster first.

  svc secretstore unseal --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --shares-stdin`,
  status: `usage: svc secretstore status [FLAGS]

Shows the state of every pod of the store and what the output Secret has, without
its values. Exits with 0 where every pod is unsealed, else with 2.

  svc secretstore status --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store`,
  reset: `usage: svc secretstore reset [FLAGS]

Where svc secretstore init was ended after it had initialised the store and before
it had stored the keys: proves that the store was never unsealed, and says which
disk and which pod have to go. With --delete it deletes them; then run init again.
Whatever it cannot prove it refuses, with every reason.

  svc secretstore reset --store-addr=https://store.vault.svc:8200 --namespace=vault \\
    --release-name=store --delete`,
};

const outro = `Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone. A flag wins
over its variable. An empty variable counts as not set.`;

/** The text of `svc secretstore COMMAND --help`. */
export function helpText(command: SecretstoreCommand): string {
  return `${introductions[command]}\n\n${outro}\n\n${flagSections(tables[command])}\n`;
}
