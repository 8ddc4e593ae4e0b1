import type { Container, Pod, Quantities, ResourceNeeds } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";
import { everyContainer } from "./choose-containers.ts";
import { withDiskAllowance } from "./disk-allowance.ts";
import type { InjectionSettings } from "./injection-settings.ts";

const counted = ["cpu", "memory"] as const;

/**
 * The resources of the init container. In a pod of class Guaranteed they are the application's,
 * because a container without them would end that class. Otherwise they are the SvcConfig's, or the
 * operator's, adapted to the application.
 */
export function bundleResources(
  pod: Pod,
  { resources: app }: Container,
  { resources, hasOwnResources }: InjectionSettings,
): ResourceNeeds {
  const needs = (): ResourceNeeds => {
    if (isGuaranteed(pod)) return guaranteed(app ?? {});
    return hasOwnResources ? resources : fitting(resources, app ?? {});
  };
  return withDiskAllowance(pod, withoutPodLevel(pod, needs()));
}

/**
 * Bounds of a namespace (LimitRange, ResourceQuota) are not known here, but the application is
 * within them. So the container requests no less. That costs nothing, because an init container
 * counts no more than later containers. If the application has a limit, the container has one, and
 * not a higher one.
 */
function fitting(ours: ResourceNeeds, app: ResourceNeeds): ResourceNeeds {
  const limits = merged(ours.limits, (name) => smaller(ours.limits?.[name], app.limits?.[name]));
  const requests = merged(ours.requests, (name) => {
    const request = larger(ours.requests?.[name], app.requests?.[name]);
    return request === undefined ? undefined : smaller(request, limits[name]);
  });
  return { ...ours, requests, limits };
}

/** The quantities with those of the processor and the memory replaced. */
function merged(
  quantities: Quantities | null | undefined,
  quantity: (name: (typeof counted)[number]) => Quantity,
): Quantities {
  const replaced = counted.flatMap((name) => {
    const value = quantity(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...quantities, ...Object.fromEntries(replaced) };
}

type Quantity = Quantities[string] | undefined;

function smaller(a: Quantity, b: Quantity): Quantity {
  if (a === undefined || b === undefined) return a ?? b;
  return numberOf(b) < numberOf(a) ? b : a;
}

function larger(a: Quantity, b: Quantity): Quantity {
  if (a === undefined || b === undefined) return a ?? b;
  return numberOf(b) > numberOf(a) ? b : a;
}

/** The API server refuses an invalid quantity in either of the two. */
function numberOf(quantity: Quantities[string]): number {
  return quantityOf(quantity) ?? Number.NaN;
}

/** True if every container's limits equal its requests: the pod is of the class Guaranteed. */
function isGuaranteed(pod: Pod): boolean {
  return everyContainer(pod).every(({ container: { resources } }) =>
    counted.every((resource) => {
      const limit = resources?.limits?.[resource];
      return limit !== undefined && (resources?.requests?.[resource] ?? limit) === limit;
    }),
  );
}

/**
 * The app's own: an init container's count no more than their sum (the scheduler takes the larger).
 */
function guaranteed({ limits: own }: ResourceNeeds): ResourceNeeds {
  const limits = Object.fromEntries(counted.map((name) => [name, own?.[name] ?? "0"]));
  return { requests: { ...limits }, limits };
}

/**
 * Without the resources that the pod has for all its containers together. The API server refuses a
 * pod whose containers request more than that, and the class of such a pod depends on it alone.
 */
function withoutPodLevel({ spec: { resources } }: Pod, needs: ResourceNeeds): ResourceNeeds {
  const named = new Set(Object.keys({ ...resources?.requests, ...resources?.limits }));
  if (named.size === 0) return needs;
  const rest = (of: ResourceNeeds["requests"]) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([name]) => !named.has(name)));
  return { ...needs, requests: rest(needs.requests), limits: rest(needs.limits) };
}
