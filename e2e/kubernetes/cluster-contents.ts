import {
  type Answer,
  callKubernetes,
  type KubernetesObject,
  type KubernetesTarget,
} from "@svc/testing";

/** The paths of all objects of all kinds that have the release's label. */
export async function everythingOf(
  kube: KubernetesTarget,
  name: string,
): Promise<readonly string[]> {
  const groups = (await read(kube, "/apis"))?.["groups"] as readonly Group[];
  const roots = [
    "/api/v1",
    ...groups.map((group) => `/apis/${group.preferredVersion.groupVersion}`),
  ];
  const found = await Promise.all(roots.map((root) => objectsUnder(kube, root, name)));
  return found.flat();
}

interface Group {
  readonly preferredVersion: { readonly groupVersion: string };
}

async function objectsUnder(
  kube: KubernetesTarget,
  root: string,
  name: string,
): Promise<readonly string[]> {
  const resources = Object((await read(kube, root))?.["resources"]) as readonly Resource[];
  const listable = resources.filter(({ verbs }) => verbs.includes("list"));
  const found: string[] = [];
  for (const { name: plural } of listable) {
    const selector = encodeURIComponent(`app.kubernetes.io/instance=${name}`);
    const listed = await read(kube, `${root}/${plural}?labelSelector=${selector}`);
    for (const { metadata } of Object(listed?.["items"]) as readonly KubernetesObject[]) {
      const place = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
      found.push(`${root}${place}/${plural}/${metadata.name}`);
    }
  }
  return found;
}

interface Resource {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** The revision of the store at which an object was deleted; undefined if it was not. */
export async function deletedAt(
  kube: KubernetesTarget,
  path: string,
  since: string,
): Promise<number | undefined> {
  const [, list = "", name = ""] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
  const query = `watch=1&timeoutSeconds=1&resourceVersion=${since}&fieldSelector=metadata.name=${name}`;
  const { address, caPem, token } = kube;
  const response = await fetch(`${address}${list}?${query}`, {
    headers: { Authorization: `Bearer ${token}` },
    tls: { ca: caPem },
  });
  const events = (await response.text())
    .trim()
    .split("\n")
    .map((line) => Object(JSON.parse(line)));
  const deletion = events.find(({ type }) => type === "DELETED");
  return deletion && Number(deletion.object.metadata.resourceVersion);
}

function read(kube: KubernetesTarget, path: string): Promise<Answer> {
  return callKubernetes(kube, { method: "GET", path });
}
