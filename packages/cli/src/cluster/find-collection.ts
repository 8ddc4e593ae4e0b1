import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";

/** The path of a kind's objects, with `*` for the namespace. */
export interface Collection {
  readonly kind: string;
  readonly path: string;
}

/**
 * Finds a kind of an extension of the cluster by the API server's discovery, as kubectl does. The
 * kind may be written as such, in plural or singular, or as a short name, with or without its group
 * (`rollout`, `rollouts.argoproj.io`). Undefined if the cluster has no such kind in namespaces.
 *
 * @throws KubernetesError if the list of groups cannot be read
 */
export async function findCollection(
  api: Pick<KubernetesApi, "ask">,
  asked: string,
): Promise<Collection | undefined> {
  const dot = asked.indexOf(".");
  const name = (dot < 0 ? asked : asked.slice(0, dot)).toLowerCase();
  const wanted = dot < 0 ? undefined : asked.slice(dot + 1);
  const answer = await api.ask({ method: "GET", path: "/apis", operation: "list the API groups" });
  const versions = listIn(answer, "groups")
    .filter((group) => wanted === undefined || Object(group).name === wanted)
    .map((group) => String(Object(Object(group).preferredVersion).groupVersion));
  const found = await Promise.all(versions.map((version) => findIn(api, version, name)));
  return found.find((collection) => collection !== undefined);
}

async function findIn(
  api: Pick<KubernetesApi, "ask">,
  version: string,
  name: string,
): Promise<Collection | undefined> {
  const path = `/apis/${version}`;
  try {
    const answer = await api.ask({
      method: "GET",
      path,
      operation: `list the kinds of ${version}`,
    });
    const resource = listIn(answer, "resources").find((one) => isCalled(one, name));
    if (resource === undefined) return undefined;
    const { kind, name: plural } = Object(resource);
    return {
      kind: String(kind),
      path: `${path}/namespaces/*/${encodeURIComponent(String(plural))}`,
    };
  } catch (error) {
    // The server of one extension may be away (503).
    if (error instanceof KubernetesError) return undefined;
    throw error;
  }
}

function isCalled(resource: unknown, name: string): boolean {
  const { name: plural, singularName, kind, namespaced } = Object(resource);
  if (namespaced !== true || String(plural).includes("/")) return false;
  const names = [plural, singularName, kind, ...listIn(resource, "shortNames")];
  return names.some((one) => String(one).toLowerCase() === name);
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const list: unknown = Object(value)[field];
  return Array.isArray(list) ? list : [];
}
