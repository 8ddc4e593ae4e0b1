import type { Problem } from "@svc/settings";
import { CliError } from "../errors.ts";
import type { ClusterView, Manifest } from "./cluster-view.ts";
import type { NamedObject } from "./named-object.ts";

/** The object that the words of a command name, or the error for a kind that the cluster lacks. */
export type FoundObject =
  | { readonly kind: "unknown"; readonly problem: Problem }
  | {
      readonly kind: "found";
      readonly object: Manifest;
      /** For people: `Deployment shop/web`. */
      readonly title: string;
    };

/**
 * Finds it.
 *
 * @throws CliError `OBJECT_MISSING`, KubernetesError
 */
export async function findObject(
  { kind: asked, name, doubt }: NamedObject,
  namespace: string,
  cluster: Pick<ClusterView, "collection" | "object">,
): Promise<FoundObject> {
  const collection = await cluster.collection(asked);
  if (collection === undefined) {
    if (doubt === undefined) throw new TypeError("a kind of Kubernetes has no collection");
    return { kind: "unknown", problem: doubt };
  }
  const { kind } = collection;
  const title = `${kind} ${namespace}/${name}`;
  const object = await cluster.object(collection, namespace, name);
  if (object === undefined) throw new CliError("OBJECT_MISSING", [`read ${title}: there is none`]);
  // A single object does not say of which kind it is if it came out of a list.
  return { kind: "found", object: { kind, ...object }, title };
}
