/** What the README of the chart `svc-secretstore` says before its values. */
export const secretstoreIntroduction = `# svc-secretstore

Runs \`svc secretstore init\` as a Job after each \`helm install\` and \`helm upgrade\`: initialises a Vault or OpenBao
that is there, stores its keys in a Secret, unseals it, and sets it up for wrappers. A run that finds everything as it
should be changes nothing.

\`\`\`sh
helm install svc-secretstore deploy/charts/svc-secretstore --namespace vault --timeout 30m \\
  --set image=IMAGE --set settings.storeAddr=https://vault.vault:8200 --set settings.releaseName=vault \\
  --set ca.configMap=vault-ca \\
  --set settings.policyScope=service-account --set settings.roleAudience=vault
\`\`\`

The last line is recommended and not the default: without it a token of any pod reads every secret of the engine.

Install it as a release of its own, in the store's namespace, after the store. In one release with the store Helm must
not be told to wait (\`--wait\`): it would wait, before this Job, for pods that are ready only after it. How to make the
image, and the same without Helm: docs/guides/secretstore-in-cluster.md.

## What it makes

| Object | What it is for |
|---|---|
| Secret \`svc-vault-init\` (\`settings.outputSecret\`) | empty, of type \`svc.internal/store-keys\`: the key shares and the root token come into it |
| ServiceAccount, Role, RoleBinding | \`get\` and \`update\` on that one Secret, \`get\` and \`list\` on the namespace's pods, and nothing else |
| CronJob, with a ServiceAccount, Role and RoleBinding of its own | where \`unseal.enabled\` is true: \`get\` on that Secret, \`list\` on pods |
| Job | the command, as user 65532, without capabilities, on a read-only root: the "restricted" pod security standard |
| NetworkPolicy | where \`networkPolicy.enabled\` is true |

There is no right to create Secrets. With it the account could make, under the name that it may read, a Secret of type
\`kubernetes.io/service-account-token\`, and the control plane would write a token of any account of the namespace into
it, the store's included. The price: where somebody deletes the output Secret while the store is being initialised, the
command cannot make another one, and the keys are lost with the store, which is still empty then.

With \`settings.resetUnfinished\` the Role also has \`delete\` on the store's first pod, and \`get\` and \`delete\` on its
claim, both by name (docs/decisions/0035-reset.md). With \`unseal.enabled\` an account in the cluster can unseal the
store at any time, and so can everybody who gets hold of it (docs/guides/secretstore.md, section 4).

## The Secret and Helm

The chart makes the Secret where there is none, by a hook, which is no object of the release: Helm makes it and forgets it.
Upgrades (also with \`--force-replace\`, \`--cleanup-on-fail\` and \`--rollback-on-failure\`, and those that name another
Secret), rollbacks and \`helm uninstall\` leave it and the keys in it; a new release finds it. All of that is tried with Helm
4.3 against a real API server (e2e/kubernetes/manifest-helm.test.ts), and was with Helm 3.22. Helm's user has to be
allowed to \`get\` that Secret and to \`list\` service accounts, which the chart looks for.

Tools that only render (\`helm template\`, Argo CD) find the Secret among the objects, with
\`helm.sh/resource-policy: keep\`. Applied, it keeps its data; replaced (\`kubectl replace\`, Argo CD's \`Replace=true\`), it
loses them. \`createOutputSecret: false\` leaves it out.

## Values

\`values.schema.json\` refuses names that are not in these tables. What the values of \`settings\` may be, the command
says: docs/reference/settings.md. There, too, is what each default means.`;
