import { TestingError } from "../errors.ts";
import { type Answer, toAnswer } from "../openbao/bao-api.ts";
import { callKubernetes, type KubernetesTarget } from "./kubernetes-api.ts";

/** An object as a manifest has it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** Left out if the kind has no namespaces. */
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Creates or changes the object, by server-side apply; gives the stored object. */
export async function applyObject(
  target: KubernetesTarget,
  object: KubernetesObject,
): Promise<Answer> {
  return callKubernetes(target, {
    method: "PATCH",
    path: `${await objectPath(target, object)}?fieldManager=svc-tests&force=true`,
    body: object,
    contentType: "application/apply-patch+yaml",
  });
}

/**
 * The path of an object; the server says the plural of a kind. Throws `BAD_ANSWER` for no such
 * kind.
 */
export async function objectPath(
  target: KubernetesTarget,
  object: KubernetesObject,
): Promise<string> {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const listed = await callKubernetes(target, { method: "GET", path: group });
  const resource = resourcesOf(listed).find(
    (it) => it?.["kind"] === kind && !String(it["name"]).includes("/"),
  );
  if (resource === undefined) {
    throw new TestingError("BAD_ANSWER", `find ${kind} in ${group}: has no such kind`);
  }
  const { namespace } = metadata;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${group}${place}/${String(resource?.["name"])}/${metadata.name}`;
}

function resourcesOf(listed: Answer): readonly Answer[] {
  const resources = listed?.["resources"];
  return Array.isArray(resources) ? resources.map(toAnswer) : [];
}
