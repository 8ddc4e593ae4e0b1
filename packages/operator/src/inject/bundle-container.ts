import type { Container, Pod, SecurityContext } from "../pod/pod.ts";
import { bundleResources } from "./bundle-resources.ts";
import type { CopySettings } from "./bundle-source.ts";
import type { Target } from "./choose-containers.ts";
import type { InjectionSettings } from "./injection-settings.ts";

/** The inputs for the init container that brings the wrapper. */
export interface BundleContainerParts {
  readonly name: string;
  readonly volume: string;
  readonly pod: Pod;
  /** The first container that is injected into. */
  readonly target: Target;
  readonly settings: InjectionSettings;
  readonly bundle: CopySettings;
}

/** The init container that copies the wrapper into the pod. It fits every pod security standard. */
export function bundleContainer(parts: BundleContainerParts): Container {
  const { name, volume, pod, target, settings, bundle } = parts;
  return {
    name,
    image: bundle.image,
    imagePullPolicy: "IfNotPresent",
    command: bundle.command,
    resources: bundleResources(pod, target.container, settings),
    securityContext: securityContext(pod, target.container, bundle.user),
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [{ name: volume, mountPath: "/target" }],
  };
}

/**
 * The user is the container's if it names one that is not root, else the pod's, else the
 * operator's. The copy needs no permissions. But a pod may have to be of a certain user, and one
 * that forbids root needs a number.
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
