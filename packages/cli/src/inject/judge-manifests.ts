import {
  type AdmissionContext,
  applyPatch,
  type Injection,
  judgePod,
  type PodTemplate,
  parsePod,
  podTemplatesOf,
} from "@svc/operator";

/** The decision for one object's pods. */
export interface JudgedManifest {
  readonly template: PodTemplate;
  readonly namespace: string;
  readonly injection: Injection;
  /** Puts the pod that is injected into in its place in the object, or in a state of it. */
  readonly put: (object: unknown) => unknown;
}

/** More than a webhook ever has: a person waits. */
const BUDGET_MS = 30_000;

/** Judges every pod template of the objects, in order; objects without one are left out. */
export async function judgeManifests(
  objects: readonly unknown[],
  context: AdmissionContext,
  namespace: string,
): Promise<readonly JudgedManifest[]> {
  return Promise.all(
    objects.flatMap(podTemplatesOf).map(async (template) => {
      const place = template.namespace ?? namespace;
      const injection = await judge(template.pod, context, place);
      const put = (object: unknown) =>
        injection.kind === "patch"
          ? template.withPod(applyPatch(template.pod, injection.patch), object)
          : object;
      return { template, namespace: place, injection, put };
    }),
  );
}

async function judge(
  manifest: unknown,
  context: AdmissionContext,
  namespace: string,
): Promise<Injection> {
  const parsed = parsePod(manifest);
  if (!parsed.ok) {
    return { kind: "deny", message: parsed.problems.join("\n"), unmet: parsed.problems };
  }
  const endMs = performance.now() + BUDGET_MS;
  const coming = { pod: parsed.pod, operation: "CREATE", namespace, endMs };
  return (await judgePod(coming, context)).injection;
}
