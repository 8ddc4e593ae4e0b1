import type { Container, Pod, Quantities, ResourceNeeds } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";
import { everyContainer } from "./choose-containers.ts";
import type { InjectionSettings } from "./injection-settings.ts";

const classifying = ["cpu", "memory"] as const;
/** The resources that bounds of a namespace (LimitRange, ResourceQuota) may name. */
const copied = [...classifying, "ephemeral-storage"];

/**
 * The resources of the init container. The pod keeps its class, and the container keeps every
 * bound that the application keeps: docs/decisions/0107.
 *
 * 1. In a pod of class Guaranteed or BestEffort they are the application's.
 * 2. Else they are the SvcConfig's, if it has some.
 * 3. Else each is the application's, and the operator's if the application has none of its kind.
 */
export function bundleResources(
  pod: Pod,
  { resources: app }: Container,
  { resources: ours, hasOwnResources }: InjectionSettings,
): ResourceNeeds {
  const needs = (): ResourceNeeds => {
    if (isGuaranteed(pod) || isBestEffort(pod)) return picked(app ?? {}, copied);
    return hasOwnResources ? ours : copiedOr(ours, app ?? {});
  };
  return withoutPodLevel(pod, needs());
}

/**
 * The application's request and limit of one kind stay together: their ratio may have a bound. A
 * large request costs nothing, because an init container counts no more than later containers.
 */
function copiedOr(ours: ResourceNeeds, app: ResourceNeeds): ResourceNeeds {
  const named = copied.filter((name) => has(app.requests, name) || has(app.limits, name));
  const rest = namesOf(ours).filter((name) => !named.includes(name));
  const [own, theirs] = [picked(ours, rest), picked(app, named)];
  return {
    requests: { ...own.requests, ...theirs.requests },
    limits: { ...own.limits, ...theirs.limits },
  };
}

function namesOf({ requests, limits }: ResourceNeeds): readonly string[] {
  return Object.keys({ ...requests, ...limits });
}

function picked({ requests, limits }: ResourceNeeds, names: readonly string[]): ResourceNeeds {
  return { requests: only(requests, names), limits: only(limits, names) };
}

function only(quantities: Quantities | null | undefined, names: readonly string[]): Quantities {
  const kept = Object.entries(quantities ?? {}).filter(([name]) => names.includes(name));
  return Object.fromEntries(kept);
}

function has(quantities: Quantities | null | undefined, name: string): boolean {
  return quantities?.[name] !== undefined;
}

/** True if every container's limits equal its requests: the pod is of the class Guaranteed. */
function isGuaranteed(pod: Pod): boolean {
  return everyContainer(pod).every(({ container: { resources } }) =>
    classifying.every((resource) => {
      const limit = resources?.limits?.[resource];
      return limit !== undefined && (resources?.requests?.[resource] ?? limit) === limit;
    }),
  );
}

/** True if no container asks for a processor or memory; a quantity of 0 asks for none. */
function isBestEffort(pod: Pod): boolean {
  const asks = (quantities: Quantities | null | undefined) =>
    classifying.some((name) => (quantityOf(quantities?.[name] ?? "0") ?? 0) > 0);
  return [pod.spec, ...everyContainer(pod).map(({ container }) => container)].every(
    ({ resources }) => !asks(resources?.requests) && !asks(resources?.limits),
  );
}

/**
 * Without the resources that the pod has for all its containers together. The API server refuses a
 * pod whose containers request more than that, and the class of such a pod depends on it alone.
 */
function withoutPodLevel({ spec: { resources } }: Pod, needs: ResourceNeeds): ResourceNeeds {
  const named = new Set(Object.keys({ ...resources?.requests, ...resources?.limits }));
  if (named.size === 0) return needs;
  const rest = namesOf(needs).filter((name) => !named.has(name));
  return { ...needs, ...picked(needs, rest) };
}
