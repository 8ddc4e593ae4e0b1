/** The README of the chart `svc` before its values. */
export const svcIntroduction = `# svc

This chart installs the operator: an admission webhook that delivers secrets to pods with the
annotation \`svc.internal/inject: "true"\`.

\`\`\`sh
helm install svc deploy/charts/svc --namespace svc-system --create-namespace \\
  --set registry=REGISTRY
\`\`\`

REGISTRY is the target of \`make push REGISTRY=…\`, which pushes the images. With
\`secretstore.enabled\` set \`global.registry\` instead, because the chart of the store reads that as
well.

Give the operator its own namespace. It never injects pods of that namespace. The pod security
standard "restricted" suits it. The agent shares the node's processes and folders. It runs in a
second namespace, \`agent.namespace\`, which the chart creates with the level "privileged".

One release serves the whole cluster. A second one needs another
\`operator.settings.annotationPrefix\`, \`operator.settings.keepStatus=false\` and
\`definitions.create=false\`. To build the images, and for the next steps, see
docs/guides/operator.md. For the design see docs/decisions/0025-operator-chart.md.

## Objects

| Object | Purpose |
|---|---|
| Deployment, Service, PodDisruptionBudget | two pods that answer the API server, as user 65532, without capabilities, on a read-only root: the "restricted" pod security standard |
| MutatingWebhookConfiguration | makes the API server call the webhook for pods with an annotation or label under the prefix, and only for those |
| CustomResourceDefinition | SvcConfig. The chart upgrades it, and \`helm uninstall\` leaves it with all SvcConfigs |
| Lease, two Secrets | empty: for the leader's name, for the shared certificate, and for the commands of images |
| ServiceAccount, Role, ClusterRole and their bindings | the permissions below |
| ResourceQuota | allows the priority class of the pods, which some clusters require. It limits nothing |
| NetworkPolicy, ServiceMonitor, cert-manager's Issuers and Certificates | if the values say so |
| Namespace, DaemonSet and ServiceAccount | the agent on every node, if \`agent.enabled\` is true. With \`agent.settings.grpcTlsCert\` also a ClusterRole for checking tokens |
| all of the chart svc-secretstore | if \`secretstore.enabled\` is true. Its README has the values |

## Permissions of the operator

| | |
|---|---|
| the Lease \`svc-operator\` of its namespace | \`get\`, \`patch\` |
| the Secret \`svc-operator-tls\` of its namespace | \`get\`, \`patch\` |
| the Secret \`svc-operator-images\` of its namespace | \`get\`, \`patch\` |
| the MutatingWebhookConfiguration \`svc-operator\` | \`get\`, \`patch\` |
| SvcConfigs of all namespaces | \`list\`, \`watch\`; on their status \`patch\`, unless \`operator.settings.keepStatus\` is false |
| events of all namespaces | \`create\`, likewise |
| other Secrets | nothing, unless \`operator.pullSecrets.access\` allows it: then \`get\` |
| pods of all namespaces | \`list\`, \`watch\`. The operator asks only for metadata. Nothing if \`operator.settings.countPods\` is false |

With \`operator.settings.rotationPermits\`, which is the default, also:

| | |
|---|---|
| the Secret \`svc-operator-permits\` of its namespace | \`get\`, \`patch\` |
| the Leases of its namespace | \`get\`, \`list\`, \`create\`, \`patch\`, \`delete\` |
| token reviews | \`create\` |
| pods, Deployments, ReplicaSets, StatefulSets and DaemonSets of all namespaces | \`get\` |
| PodDisruptionBudgets of all namespaces | \`list\` |
| evictions in all namespaces | \`create\`, only with \`operator.evictPods\` |

## A cluster without its operator

While no operator answers, the API server rejects annotated pods (\`webhook.failurePolicy\`), and only
those. The API server itself selects them, by conditions in the webhook configuration: it calls the
webhook only if an annotation or a label begins with the prefix. It also leaves out the namespaces
kube-system, kube-public, kube-node-lease and the operator's own. So no pod that the operator needs
for its start can wait for it.

\`helm uninstall\` deletes the webhook configuration before the pods behind it. The
definitions stay, with all SvcConfigs and SvcPolicies. [The guide](../../../docs/guides/operator.md)
has the commands that delete them. Upgrades do not change the certificate, its CA in the webhook configuration and the Lease.
Only \`--force-replace\` empties them.

## Values

\`values.schema.json\` refuses names that are not in these tables. If a value is empty, the program
uses its own default. At its start it reports invalid values.`;
