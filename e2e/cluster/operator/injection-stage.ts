import { canary, type KubernetesObject, waitFor } from "@svc/testing";
import { runHelm } from "../../harness/kubernetes/helm.ts";
import { operatorChart } from "../../harness/kubernetes/operator-chart.ts";
import { pushProductImages } from "../images/push-product.ts";
import { once } from "../once.ts";
import { type OpenStore, openStore } from "../store/open-store.ts";
import { STORE } from "../store/store-objects.ts";
import { writeWhenLed } from "../store/write-when-led.ts";
import type { StoryCluster } from "../story-cluster.ts";
import type { Pod } from "../wait-for-pods.ts";

/** The namespace and the name of the operator's release. */
export const OPERATOR = { namespace: "svc-system", release: "svc", deployment: "svc-operator" };

/** A cluster whose pods can have secrets: an open store, and the operator. */
export interface InjectionStage {
  readonly store: OpenStore;
  /** The value of `password` in `secret/app`. */
  readonly value: string;
}

/** Opens the store, writes a secret, and installs the operator's chart, once for each cluster. */
export async function injectionStage(cluster: StoryCluster): Promise<InjectionStage> {
  return once(cluster.state, "injection", async () => {
    const store = await openStore(cluster);
    const value = canary();
    await writeWhenLed(store, "secret/data/app", { password: value });
    await installOperator(cluster);
    return { store, value };
  });
}

async function installOperator(cluster: StoryCluster): Promise<void> {
  const { namespace } = OPERATOR;
  await cluster.apply(
    {
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: { name: namespace, labels: { [`${POD_SECURITY}/enforce`]: "restricted" } },
    },
    {
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "registries" } },
      data: { "ca.crt": cluster.state.caPem },
    },
  );
  await helmOperator(cluster, "install", await operatorValues(cluster));
}

/** The label's prefix of the pod security standards. */
export const POD_SECURITY = "pod-security.kubernetes.io";

/** Runs `helm install` or `helm upgrade` of the operator's chart, and waits for its pods. */
export async function helmOperator(
  cluster: StoryCluster,
  verb: "install" | "upgrade",
  values: object,
  chart = operatorChart,
): Promise<void> {
  const { namespace, release } = OPERATOR;
  await cluster.apply(await authorityOfStore(cluster));
  const words = [verb, release, chart, "--namespace", namespace, "--timeout=4m", "--wait"];
  const { kubeconfig } = cluster.state;
  const { exitCode, stderr } = await runHelm(words, { values, kubeconfig });
  if (exitCode !== 0) {
    const pods = await cluster.tryKubectl("describe", "pods", "-n", namespace);
    throw new TypeError(`helm ${verb}: ${stderr}\n${pods.stdout}`);
  }
  await oldPodsAreGone(cluster);
}

/** The operator verifies the store by it when it looks up versions for its hints. */
async function authorityOfStore(cluster: StoryCluster): Promise<KubernetesObject> {
  const { caPem } = await openStore(cluster);
  return {
    ...{ apiVersion: "v1", kind: "Secret" },
    metadata: { namespace: OPERATOR.namespace, name: STORE.authority },
    stringData: { "ca.crt": caPem },
  };
}

/** A pod that is about to end answers questions for some seconds more, by its own settings. */
async function oldPodsAreGone({ get }: StoryCluster): Promise<void> {
  const isGone = async () => {
    const words = ["pods", "-n", OPERATOR.namespace];
    const { items } = await get<{ items: readonly Pod[] }>(...words);
    return items.every(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  await waitFor(isGone, { deadlineMs: 60_000, what: "the operator's old pods to end" });
}

/** The values of the stories, with settings of the operator beside them. */
export async function operatorValues(cluster: StoryCluster, settings = {}): Promise<object> {
  await pushProductImages(cluster.state);
  const { registry } = cluster.state;
  return {
    registry,
    operator: {
      evictPods: true,
      hints: { caSecret: STORE.authority },
      settings: {
        hintsVaultAddress: STORE.address,
        allowedAddresses: [STORE.address, STORE.gate],
        registryCaFiles: { [registry]: "/etc/registries/ca.crt" },
        architectures: ["amd64"],
        // An upgrade waits for it: `oldPodsAreGone`.
        shutdownDelay: "2s",
        ...settings,
      },
      extraVolumes: [{ name: "registries", configMap: { name: "registries" } }],
      extraVolumeMounts: [{ name: "registries", mountPath: "/etc/registries", readOnly: true }],
    },
  };
}

/** Makes a namespace whose pods get `password` of `secret/app` as DB_PASSWORD. */
export async function makeShop(
  cluster: StoryCluster,
  namespace: string,
  { labels = {}, spec = {} }: { readonly labels?: object; readonly spec?: object } = {},
): Promise<void> {
  const { store } = await injectionStage(cluster);
  const namespaceObject = {
    ...{ apiVersion: "v1", kind: "Namespace" },
    metadata: { name: namespace, labels },
  };
  await cluster.apply(namespaceObject, svcConfig(namespace, store, spec));
  await hasAccount(cluster, namespace);
}

/** Removes the namespace; its pods end while the next story begins. */
export async function removeShop({ kubectl }: StoryCluster, namespace: string): Promise<void> {
  await kubectl("delete", "namespace", namespace, "--wait=false");
}

function svcConfig(namespace: string, store: OpenStore, spec: object): KubernetesObject {
  return {
    apiVersion: "svc.internal/v1alpha1",
    kind: "SvcConfig",
    metadata: { namespace, name: "default" },
    spec: {
      vaultAddress: STORE.address,
      vaultRole: "svc",
      secretPaths: ["secret/data/app"],
      envMap: "password=DB_PASSWORD",
      caBundle: store.caPem,
      ...spec,
    },
  };
}

/** A pod is refused until a controller has made its account. */
async function hasAccount({ tryKubectl }: StoryCluster, namespace: string): Promise<void> {
  const words = ["get", "serviceaccount", "default", "-n", namespace];
  const isThere = async () => (await tryKubectl(...words)).exitCode === 0;
  await waitFor(isThere, { deadlineMs: 20_000, what: `the account of ${namespace}` });
}
