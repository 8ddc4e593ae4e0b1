import type { KubernetesObject } from "@svc/testing";

/** A pod of one container that asks for its secrets. */
export interface InjectedPod {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  /** Fields of its container beside name and image. */
  readonly container?: object;
  /** Fields of its spec beside the container. */
  readonly spec?: object;
  /** Without their prefix, and beside `inject`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The pod as its author writes it. */
export function injectedPod(pod: InjectedPod): KubernetesObject {
  const { namespace, name } = pod;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, annotations: annotationsOf(pod) },
    spec: podSpec(pod),
  };
}

/** The same as a template of a Deployment or a Job. */
export function injectedTemplate(pod: InjectedPod, labels: object): object {
  return { metadata: { labels, annotations: annotationsOf(pod) }, spec: podSpec(pod) };
}

function annotationsOf({ annotations = {} }: InjectedPod): Readonly<Record<string, string>> {
  const all = Object.entries({ inject: "true", ...annotations });
  return Object.fromEntries(all.map(([name, text]) => [`svc.internal/${name}`, text]));
}

function podSpec({ image, container = {}, spec = {} }: InjectedPod): object {
  return {
    terminationGracePeriodSeconds: 5,
    containers: [{ name: "app", image, ...container }],
    ...spec,
  };
}
