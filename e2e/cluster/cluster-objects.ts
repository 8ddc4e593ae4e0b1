import type { StoryCluster } from "./story-cluster.ts";

/** Kinds whose objects come and go by themselves, and those that definitions bring with them. */
const RESTLESS = [
  "events",
  "events.events.k8s.io",
  "apiservices.apiregistration.k8s.io",
  "componentstatuses",
  "leases.coordination.k8s.io",
];

/** Every object of the cluster as `namespace/kind/name`, but of namespaces that are left out. */
export async function clusterObjects(
  { kubectl }: StoryCluster,
  withoutNamespaces: readonly string[],
): Promise<readonly string[]> {
  const listed = await kubectl("api-resources", "--verbs=list", "--output=name");
  const kinds = listed.split("\n").filter((kind) => kind !== "" && !RESTLESS.includes(kind));
  const line = "{range .items[*]}{.metadata.namespace}/{.kind}/{.metadata.name}{'\\n'}{end}";
  const format = `jsonpath=${line.replaceAll("'", '"')}`;
  const text = await kubectl("get", kinds.join(","), "--all-namespaces", "--output", format);
  return text
    .split("\n")
    .filter((name) => name !== "" && !withoutNamespaces.some((it) => name.startsWith(`${it}/`)))
    .sort();
}
