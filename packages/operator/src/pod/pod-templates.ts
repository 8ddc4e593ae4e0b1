/** A pod, or a controller's pod template, in a manifest. */
export interface PodTemplate {
  /** `Pod`, `Deployment` and so on. */
  readonly kind: string;
  readonly name: string;
  /** The manifest itself. */
  readonly object: unknown;
  /** If the manifest names one. */
  readonly namespace: string | undefined;
  /** The pod as it comes to admission, without the API server's additions. */
  readonly pod: unknown;
  /** The manifest with another pod in this one's place. */
  readonly withPod: (pod: unknown) => unknown;
}

/** The place of the pod in each kind. */
const places: Readonly<Record<string, readonly string[]>> = {
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

/** The kinds of objects that pods are made by. */
export const podKinds: readonly string[] = Object.keys(places);

/** The pod of an object; undefined if it makes none. */
export function podTemplateOf(object: unknown): PodTemplate | undefined {
  const { kind, metadata } = Object(object);
  const place = typeof kind === "string" && Object.hasOwn(places, kind) ? places[kind] : undefined;
  if (place === undefined) return undefined;
  const template = place.reduce((value: unknown, step) => Object(value)[step], object);
  const { name: own, namespace } = Object(metadata);
  const name = typeof own === "string" ? own : "";
  return {
    kind,
    name,
    object,
    namespace: typeof namespace === "string" ? namespace : undefined,
    pod: place.length === 0 ? object : podOf(template, name),
    withPod: (pod) => (place.length === 0 ? pod : put(object, place, templateOf(template, pod))),
  };
}

/** Controllers give their pods names that begin with their own. */
function podOf(template: unknown, name: string): unknown {
  const { metadata, spec } = Object(template);
  const meta = { ...Object(metadata), generateName: `${name}-` };
  return { apiVersion: "v1", kind: "Pod", metadata: meta, spec };
}

function templateOf(template: unknown, pod: unknown): unknown {
  const { metadata, spec } = Object(pod);
  const { generateName: _, ...rest } = Object(metadata);
  return { ...Object(template), metadata: rest, spec };
}

function put(value: unknown, [step, ...rest]: readonly string[], member: unknown): unknown {
  return step === undefined
    ? member
    : { ...Object(value), [step]: put(Object(value)[step], rest, member) };
}
