/** The README of the chart `svc-secretstore` before its values. */
export const secretstoreIntroduction = `# svc-secretstore

This chart runs \`svc secretstore init\` as a Job after each \`helm install\` and \`helm upgrade\`. The
Job initialises an existing Vault or OpenBao, stores its keys in a Secret, unseals it, and sets it
up for wrappers. If everything is as configured, a run changes nothing.

\`\`\`sh
helm install svc-secretstore deploy/charts/svc-secretstore --namespace vault --timeout 30m \\
  --set image=IMAGE --set settings.storeAddr=https://vault.vault:8200 --set settings.releaseName=vault \\
  --set ca.configMap=vault-ca \\
  --set settings.policyScope=service-account --set settings.roleAudience=vault
\`\`\`

The last line is not the default. Use it: without it a token of any pod can read every secret of the
engine.

Install the chart as a separate release, in the store's namespace, after the store. If it is in one
release with the store, do not use Helm's \`--wait\`: Helm would wait, before this Job, for pods that
become ready only after it. To build the image, and for the same without Helm, see
docs/guides/secretstore-in-cluster.md.

## Objects

| Object | Purpose |
|---|---|
| Secret \`svc-vault-init\` (\`settings.outputSecret\`) | empty, of type \`svc.internal/store-keys\`. The Job writes the key shares and the root token into it |
| ServiceAccount, Role, RoleBinding | only \`get\` and \`update\` on that one Secret, and \`get\` and \`list\` on the namespace's pods |
| CronJob, with its own ServiceAccount, Role and RoleBinding | if \`unseal.enabled\` is true: \`get\` on that Secret, \`list\` on pods |
| Job | the command, as user 65532, without capabilities, on a read-only root: the "restricted" pod security standard |
| NetworkPolicy | if \`networkPolicy.enabled\` is true |

The account may not create Secrets. With that permission it could create a Secret of type
\`kubernetes.io/service-account-token\` under the name that it may read. The control plane would write
a token of any account of the namespace into it, including the store's own. This has a price: if a
user deletes the output Secret during the initialisation, the command cannot create another one.
Then the keys are lost while the store is still empty.

With \`settings.resetUnfinished\` the Role also has \`delete\` on the store's first pod, and \`get\` and
\`delete\` on its claim, both by name (docs/decisions/0035-reset.md). With \`unseal.enabled\` an account
in the cluster can unseal the store at any time. So can an attacker who gets hold of that account
(docs/guides/secretstore.md, section 4).

## The Secret and Helm

If the Secret does not exist, the chart creates it by a hook. Helm does not count it as an object of
the release. Upgrades leave the Secret and its keys, also with \`--force-replace\`,
\`--cleanup-on-fail\` and \`--rollback-on-failure\`, and if they name another Secret. So do rollbacks
and \`helm uninstall\`, and a new release finds the Secret. Tests check this with Helm 4.3 against a
real API server (e2e/kubernetes/manifest-helm.test.ts). It also worked with Helm 3.22. Helm's user
needs permission to \`get\` that Secret and to \`list\` service accounts, because the chart looks for
them.

Tools that only render (\`helm template\`, Argo CD) find the Secret among the objects, with
\`helm.sh/resource-policy: keep\`. If a tool applies it, it keeps its data. If a tool replaces it
(\`kubectl replace\`, Argo CD's \`Replace=true\`), it loses them. \`createOutputSecret: false\` leaves it
out.

## Values

\`values.schema.json\` refuses names that are not in these tables. docs/reference/settings.md has the
valid values of \`settings\`, and explains each default.`;
