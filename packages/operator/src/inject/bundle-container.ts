import type { Container, Pod, ResourceNeeds, SecurityContext } from "../pod/pod.ts";
import { everyContainer, type Target } from "./choose-containers.ts";
import { withDiskAllowance } from "./disk-allowance.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import type { BundleSource } from "./operator-settings.ts";

/** What the init container that brings the wrapper is made of. */
export interface BundleContainerParts {
  readonly name: string;
  readonly volume: string;
  readonly pod: Pod;
  /** The first container that is injected into. */
  readonly target: Target;
  readonly settings: InjectionSettings;
  readonly bundle: Extract<BundleSource, { readonly kind: "copy" }>;
}

/** The init container that copies the wrapper into the pod. It fits every pod security standard. */
export function bundleContainer(parts: BundleContainerParts): Container {
  const { name, volume, pod, target, settings, bundle } = parts;
  const needs = isGuaranteed(pod) ? guaranteed(target.container) : settings.resources;
  return {
    name,
    image: bundle.image,
    imagePullPolicy: "IfNotPresent",
    command: bundle.command,
    resources: withDiskAllowance(pod, withoutPodLevel(pod, needs)),
    securityContext: securityContext(pod, target.container, bundle.user),
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [{ name: volume, mountPath: "/target" }],
  };
}

/**
 * The user is the container's where it names one that is not root, else the pod's, else the operator's: the copy needs no
 * rights, but a pod may have to be of a certain user, and one that forbids root needs a number.
 */
function securityContext(
  pod: Pod,
  container: Container,
  user: number | undefined,
): SecurityContext {
  const own = container.securityContext ?? {};
  const ofPod = pod.spec.securityContext ?? {};
  const ownUser = notRoot(own.runAsUser);
  const chosen = ownUser ?? (notRoot(ofPod.runAsUser) === undefined ? user : undefined);
  const group = ownUser === undefined ? chosen : (own.runAsGroup ?? undefined);
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
    // Without a user of the operator's, a pod that insists on root gets it.
    ...((chosen !== undefined || ofPod.runAsUser !== 0) && { runAsNonRoot: true }),
    ...(chosen !== undefined && { runAsUser: chosen }),
    ...(group !== undefined && { runAsGroup: group }),
    ...((own.seLinuxOptions ?? undefined) !== undefined && { seLinuxOptions: own.seLinuxOptions }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}

function notRoot(user: number | null | undefined): number | undefined {
  return user === null || user === 0 ? undefined : user;
}

const counted = ["cpu", "memory"] as const;

/**
 * True where every container gets exactly what it asks for: the pod is of the class Guaranteed, which one init container
 * without limits would end.
 */
function isGuaranteed(pod: Pod): boolean {
  return everyContainer(pod).every(({ container: { resources } }) =>
    counted.every((resource) => {
      const limit = resources?.limits?.[resource];
      return limit !== undefined && (resources?.requests?.[resource] ?? limit) === limit;
    }),
  );
}

/**
 * Without what the pod has for all its containers together: the API server refuses a pod whose containers request more
 * than that, and the class of such a pod is decided by it alone.
 */
function withoutPodLevel({ spec: { resources } }: Pod, needs: ResourceNeeds): ResourceNeeds {
  const named = new Set(Object.keys({ ...resources?.requests, ...resources?.limits }));
  if (named.size === 0) return needs;
  const rest = (of: ResourceNeeds["requests"]) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([name]) => !named.has(name)));
  return { ...needs, requests: rest(needs.requests), limits: rest(needs.limits) };
}

/** The app's own: an init container's count no more than what they are together (the scheduler takes the larger). */
function guaranteed({ resources }: Container): ResourceNeeds {
  const limits = Object.fromEntries(
    counted.map((name) => [name, resources?.limits?.[name] ?? "0"]),
  );
  return { requests: { ...limits }, limits };
}
