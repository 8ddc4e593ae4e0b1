import {
  type AdmissionContext,
  applyPatch,
  type Injection,
  judgePod,
  type PodTemplate,
  parsePod,
  podTemplateOf,
} from "@svc/operator";

/** The decision for one object's pods. */
export interface JudgedManifest {
  readonly template: PodTemplate;
  readonly namespace: string;
  readonly injection: Injection;
  /** The object with its pod injected into; as it was if it is not. */
  readonly result: unknown;
}

/** More than a webhook ever has: a person waits. */
const BUDGET_MS = 30_000;

/** Judges every object that makes pods, in order; others are left out. */
export async function judgeManifests(
  objects: readonly unknown[],
  context: AdmissionContext,
  namespace: string,
): Promise<readonly JudgedManifest[]> {
  const templates = objects.flatMap((object) => {
    const template = podTemplateOf(object);
    return template === undefined ? [] : [template];
  });
  return Promise.all(
    templates.map(async (template) => {
      const place = template.namespace ?? namespace;
      const injection = await judge(template.pod, context, place);
      const result =
        injection.kind === "patch"
          ? template.withPod(applyPatch(template.pod, injection.patch))
          : template.object;
      return { template, namespace: place, injection, result };
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
