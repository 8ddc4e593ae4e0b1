import { type Problem, problem } from "@svc/settings";
import type { Pod } from "../pod/pod.ts";

const OS_LABEL = "kubernetes.io/os";
/** The annotation that the kubelet puts on the image of a static pod. */
const MIRROR = "kubernetes.io/config.mirror";

/** Why a pod is left alone although it asks; undefined if it is not. */
export function reasonToIgnore(pod: Pod): string | undefined {
  return pod.metadata.annotations?.[MIRROR] === undefined
    ? undefined
    : "it is the mirror of a static pod, which the node has started from a file: name the wrapper in that";
}

/** The reasons that make injection impossible with all settings. */
export function unfitness({ spec }: Pod): readonly Problem[] {
  const system = spec.os?.name ?? spec.nodeSelector?.[OS_LABEL] ?? affineSystem(spec) ?? "linux";
  return system === "linux"
    ? []
    : [
        problem({
          variable: "pod",
          wanted: "of Linux",
          found: `it is of ${system}`,
          hint: "the wrapper is a Linux program",
        }),
      ];
}

/** The system that every term of the pod's node affinity asks for. */
function affineSystem({ affinity }: Pod["spec"]): string | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const systems = (required?.nodeSelectorTerms ?? []).map(({ matchExpressions }) => {
    const asked = (matchExpressions ?? []).find(
      ({ key, operator }) => key === OS_LABEL && operator === "In",
    );
    return asked?.values?.length === 1 ? asked.values[0] : undefined;
  });
  const [first] = systems;
  return systems.every((system) => system === first) ? first : undefined;
}

/** The effect of the whole pod on the protection. */
export function podWarnings({ spec }: Pod): readonly string[] {
  return [
    ...(spec.hostPID === true
      ? ["hostPID: the wrapper is not the first process, and the node's processes are seen"]
      : []),
    ...(spec.shareProcessNamespace === true
      ? [
          "shareProcessNamespace: the wrappers are not first processes, and containers see each other's",
        ]
      : []),
  ];
}
