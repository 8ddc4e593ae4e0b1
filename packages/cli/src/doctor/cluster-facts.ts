import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { type Manifest, type Seen, seen } from "../cluster/cluster-view.ts";
import { type FoundOperator, findOperator } from "../cluster/find-operator.ts";
import { type FoundWebhook, findWebhooks } from "../cluster/find-webhook.ts";
import type { OpenCluster } from "../cluster/open-cluster.ts";

/** A cluster, as this user sees it. */
export interface ClusterFacts {
  readonly namespace: string;
  readonly webhooks: Seen<readonly FoundWebhook[]>;
  /** Undefined if no webhook calls one. */
  readonly operator: Seen<FoundOperator> | undefined;
  /** The fate of a pod that asks for secrets; nothing is made. */
  readonly trial: Trial;
  /** The kinds of svc.internal that the API server has. */
  readonly kinds: Seen<readonly string[]>;
  readonly configs: Seen<readonly unknown[]>;
  readonly nodes: Seen<readonly Manifest[]>;
  /** The DaemonSets of kernel agents. */
  readonly agents: Seen<readonly Manifest[]>;
}

/** How the API server answered to a pod that it was only to check. */
export type Trial =
  | { readonly kind: "made"; readonly annotations: readonly string[] }
  | { readonly kind: "refused"; readonly message: string };

/** Looks at everything at once. It changes nothing. */
export async function clusterFacts({
  api,
  cluster,
  namespace,
}: OpenCluster): Promise<ClusterFacts> {
  const configurations = await cluster.webhookConfigurations();
  const webhooks: ClusterFacts["webhooks"] = configurations.ok
    ? { ok: true, value: findWebhooks(configurations.value) }
    : configurations;
  const [webhook] = webhooks.ok ? webhooks.value : [];
  const operator = webhook && (await findOperator(webhook, cluster));
  const prefix = operator?.ok === true ? operator.value.process.operator.prefix : "svc.internal";
  const [trial, kinds, configs, nodes, agents] = await Promise.all([
    tryPod(api, namespace, prefix),
    kindsOf(api),
    cluster.configs(namespace),
    cluster.nodes(),
    cluster.daemonSets("app.kubernetes.io/component=agent"),
  ]);
  return { namespace, webhooks, operator, trial, kinds, configs, nodes, agents };
}

/** Asks for a pod that wants secrets, and has it thrown away: dryRun=All. */
async function tryPod(api: KubernetesApi, namespace: string, prefix: string): Promise<Trial> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?dryRun=All`;
  const operation = `try a pod in namespace ${namespace}`;
  try {
    const made = await api.ask({ method: "POST", path, body: trialPod(prefix), operation });
    const { annotations } = Object(Object(made).metadata);
    return { kind: "made", annotations: Object.keys(Object(annotations)) };
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    return { kind: "refused", message: error.message };
  }
}

/** It is allowed at every pod security level, and names no image that has to be looked up. */
function trialPod(prefix: string): object {
  const securityContext = {
    ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, runAsUser: 65_534 },
    ...{ capabilities: { drop: ["ALL"] }, seccompProfile: { type: "RuntimeDefault" } },
  };
  const resources = { limits: { memory: "64Mi", cpu: "100m" } };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { generateName: "svc-doctor-", annotations: { [`${prefix}/inject`]: "true" } },
    spec: {
      containers: [
        {
          name: "trial",
          image: "svc.invalid/trial:1",
          command: ["/trial"],
          securityContext,
          resources,
        },
      ],
    },
  };
}

async function kindsOf(api: KubernetesApi): Promise<Seen<readonly string[]>> {
  const path = "/apis/svc.internal/v1alpha1";
  const read = await seen(async () => {
    try {
      return await api.ask({ method: "GET", path, operation: "list the kinds of svc.internal" });
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return {};
      throw error;
    }
  });
  if (!read.ok) return read;
  const resources: readonly unknown[] = Object(read.value).resources ?? [];
  return { ok: true, value: resources.map((one) => String(Object(one).name)) };
}
