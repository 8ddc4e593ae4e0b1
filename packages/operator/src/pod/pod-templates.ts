import { findTemplates, type Place, valueAt } from "./find-templates.ts";

/** A pod, or a pod template, in a manifest. */
export interface PodTemplate {
  /** `Pod`, `Deployment` and so on. */
  readonly kind: string;
  readonly name: string;
  /** The manifest itself. */
  readonly object: unknown;
  /** If the manifest names one. */
  readonly namespace: string | undefined;
  /** Its place in the manifest: `spec.template`; empty for a pod. */
  readonly place: string;
  /** The pod as it comes to admission, without the API server's additions. */
  readonly pod: unknown;
  /** The manifest, or another state of it, with another pod in this one's place. */
  readonly withPod: (pod: unknown, manifest?: unknown) => unknown;
}

/** The place of the pod in each kind of Kubernetes. */
const places: Readonly<Record<string, Place>> = {
  Pod: [],
  PodTemplate: ["template"],
  Deployment: ["spec", "template"],
  ReplicaSet: ["spec", "template"],
  ReplicationController: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  Job: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
};

/** Their API groups. Other groups have kinds with the same names and other places. */
const groups: ReadonlySet<string> = new Set(["", "apps", "batch"]);

/** The kinds of Kubernetes' objects that pods are made by. */
export const podKinds: readonly string[] = Object.keys(places);

/**
 * The pod templates of an object; none if it has none. The place in kinds of Kubernetes is known.
 * In other kinds each object that has the form of a pod template is one.
 */
export function podTemplatesOf(object: unknown): readonly PodTemplate[] {
  const { kind, metadata } = Object(object);
  if (typeof kind !== "string") return [];
  const known = hasKnownPlace(object) ? places[kind] : undefined;
  const { name: own, namespace } = Object(metadata);
  const name = typeof own === "string" ? own : "";
  const found = known === undefined ? findTemplates(object) : [known];
  return found.map((place) => ({
    ...{ kind, name, object },
    namespace: typeof namespace === "string" ? namespace : undefined,
    place: placeText(place),
    pod: place.length === 0 ? object : podOf(valueAt(object, place), name),
    withPod: (pod, manifest = object) =>
      place.length === 0 ? pod : put(manifest, place, templateOf(valueAt(manifest, place), pod)),
  }));
}

/** Whether the object is of a kind of Kubernetes that makes pods. */
export function hasKnownPlace(object: unknown): boolean {
  const { kind, apiVersion = "" } = Object(object);
  const [group = "", version] = String(apiVersion).split("/");
  return Object.hasOwn(places, String(kind)) && groups.has(version === undefined ? "" : group);
}

function placeText(place: Place): string {
  return place
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
}

/** Controllers give their pods names that begin with their own. */
function podOf(template: unknown, name: string): unknown {
  const { metadata, spec } = Object(template);
  const meta = { ...Object(metadata), generateName: `${name}-` };
  return { apiVersion: "v1", kind: "Pod", metadata: meta, spec: withNames(spec) };
}

/** Some kinds (Knative's Service) leave the name of a container to their controller. */
function withNames(spec: unknown): unknown {
  const { containers } = Object(spec);
  if (!Array.isArray(containers) || containers.every((one) => Object(one).name !== undefined)) {
    return spec;
  }
  const named = containers.map((one, index) =>
    typeof one === "object" ? { name: index === 0 ? "main" : `main-${index}`, ...one } : one,
  );
  return { ...Object(spec), containers: named };
}

function templateOf(template: unknown, pod: unknown): unknown {
  const { metadata, spec } = Object(pod);
  const { generateName: _, ...rest } = Object(metadata);
  return { ...Object(template), metadata: rest, spec };
}

function put(value: unknown, [step, ...rest]: Place, member: unknown): unknown {
  if (step === undefined) return member;
  const inner = put(Object(value)[step], rest, member);
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? inner : one));
  return { ...Object(value), [step]: inner };
}
