/** What the README of the chart `svc` says before its values. */
export const svcIntroduction = `# svc

Installs the operator: an admission webhook that gives pods their secrets where they ask for it by the annotation
\`svc.internal/inject: "true"\`.

\`\`\`sh
helm install svc deploy/charts/svc --namespace svc-system --create-namespace \\
  --set registry=REGISTRY
\`\`\`

REGISTRY is where \`make push REGISTRY=…\` has pushed the images. With \`secretstore.enabled\` write
\`global.registry\`: the chart of the store reads that as well.

The operator wants a namespace of its own: the pods of that namespace are never injected into. The
pod security standard "restricted" suits it. The agent shares the node's processes and folders, and
runs in a second namespace, \`agent.namespace\`, which the chart makes with the level "privileged".
One release is for the whole cluster; a second one needs another \`operator.settings.annotationPrefix\`, \`operator.settings.keepStatus=false\` and
\`definitions.create=false\`. How to make the
images, and what to do next: docs/guides/operator.md. Why it is as it is: docs/decisions/0025-operator-chart.md.

## What it makes

| Object | What it is for |
|---|---|
| Deployment, Service, PodDisruptionBudget | two pods that answer the API server, as user 65532, without capabilities, on a read-only root: the "restricted" pod security standard |
| MutatingWebhookConfiguration | has the API server ask about pods that say something under the prefix, and about no others |
| CustomResourceDefinition | SvcConfig; upgraded with the chart, and left behind by \`helm uninstall\` with all that is stored |
| Lease, Secret | empty: which replica leads, and the certificate that they share |
| ServiceAccount, Role, ClusterRole and their bindings | the rights below |
| ResourceQuota | allows the priority class of the pods, which some clusters ask for; it limits nothing |
| NetworkPolicy, ServiceMonitor, cert-manager's Issuers and Certificates | where the values say so |
| Namespace, DaemonSet and ServiceAccount | the agent on every node, where \`agent.enabled\` is true; with \`agent.settings.grpcTlsCert\` also a ClusterRole by which it asks whose a token is |
| all of the chart svc-secretstore | where \`secretstore.enabled\` is true; its README has the values |

## What the operator may do

| | |
|---|---|
| the Lease \`svc-operator\` of its namespace | \`get\`, \`patch\` |
| the Secret \`svc-operator-tls\` of its namespace | \`get\`, \`patch\` |
| the MutatingWebhookConfiguration \`svc-operator\` | \`get\`, \`patch\` |
| SvcConfigs of all namespaces | \`list\`, \`watch\`; of their status \`patch\`, unless \`operator.settings.keepStatus\` is false |
| events of all namespaces | \`create\`, likewise |
| pods of all namespaces | \`list\`, \`watch\`, of which it asks for metadata alone; nothing where \`operator.settings.countPods\` is false |
| other Secrets | nothing, unless \`operator.pullSecrets.access\` says where: then \`get\` |

## A cluster without its operator

While no operator answers, pods that ask for secrets are refused (\`webhook.failurePolicy\`), and only those. The API server itself
tells them apart, by conditions in the webhook configuration: it asks about a pod only where an annotation or a label begins
with the prefix. The namespaces kube-system, kube-public, kube-node-lease and the operator's own are left out besides. So
nothing that the operator needs in order to start can wait for it.

\`helm uninstall\` deletes the webhook configuration before the pods behind it. What is left is the definition of SvcConfig and what is stored by it:
\`kubectl delete crd svcconfigs.svc.internal\` deletes that as well. Upgrades leave the certificate, its CA in the webhook
configuration and the Lease as the operator wrote them, but with \`--force-replace\`, which empties them.

## Values

\`values.schema.json\` refuses names that are not in these tables. What is empty is left to the program, which has the defaults
and says at its start what is wrong with a value.`;
