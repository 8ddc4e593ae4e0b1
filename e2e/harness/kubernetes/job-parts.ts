import type { KubernetesObject } from "@svc/testing";

/** A pod's specification, as far as tests look into it. */
export interface PodSpec {
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
  readonly volumes?: readonly object[];
}

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** The template of a Job's pods. */
export interface PodTemplate {
  readonly metadata: object;
  readonly spec: PodSpec;
}

/** The template in a Job that the chart or the manifest has made. */
export function podTemplate(job: KubernetesObject): PodTemplate {
  const { spec } = job;
  if (typeof spec !== "object" || spec === null || !("template" in spec)) {
    throw new TypeError("the Job has no template");
  }
  // In manifest.test.ts the API server refuses Jobs that do not have this shape.
  return spec.template as PodTemplate;
}

/** The variables of the container. */
export function environmentOf(job: KubernetesObject): Readonly<Record<string, string>> {
  const [{ env }] = podTemplate(job).spec.containers;
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}
