import type { CoreV1Api, V1Pod } from "@kubernetes/client-node";
import type { PodFacts } from "./choose-pods.ts";
import { kubernetesFailure } from "./kubernetes-failure.ts";

const PAGE = 500;

/**
 * The pods of a namespace that are not being deleted.
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function listPods(api: CoreV1Api, namespace: string): Promise<readonly PodFacts[]> {
  const pods: PodFacts[] = [];
  let next: string | undefined;
  do {
    const page = await listPage(api, namespace, next);
    const kept = page.items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    pods.push(...kept.map(factsOf));
    next = page.metadata?._continue;
  } while (next !== undefined && next !== "");
  return pods;
}

async function listPage(api: CoreV1Api, namespace: string, next: string | undefined) {
  try {
    const from = next === undefined ? {} : { _continue: next };
    return await api.listNamespacedPod({ namespace, limit: PAGE, ...from });
  } catch (error) {
    throw kubernetesFailure(error, { operation: `list the pods in namespace "${namespace}"` });
  }
}

function factsOf({ metadata, spec, status }: V1Pod): PodFacts {
  const claims = spec?.volumes?.map((it) => it.persistentVolumeClaim?.claimName) ?? [];
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    labels: metadata?.labels ?? {},
    owners: metadata?.ownerReferences?.map(({ kind }) => kind) ?? [],
    hostname: spec?.hostname,
    subdomain: spec?.subdomain,
    phase: status?.phase ?? "",
    containers: startsOf(status?.containerStatuses ?? []),
    claims: claims.filter((claim) => claim !== undefined),
  };
}

interface ContainerStart {
  readonly name: string;
  readonly containerID?: string;
  readonly restartCount: number;
}

/** Another text after each start of one of its containers. */
function startsOf(containers: readonly ContainerStart[]): string | undefined {
  if (containers.length === 0) return undefined;
  if (containers.some(({ containerID }) => (containerID ?? "") === "")) return undefined;
  const starts = containers.map((it) => [it.name, it.containerID, it.restartCount]).toSorted();
  const text = JSON.stringify(starts);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}
