import type { Pod } from "../pod/pod.ts";
import type { Target } from "./choose-containers.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { setsVariable } from "./own-variables.ts";

/**
 * Whether the container ends when its work is done: one of a Job, of a workflow or of a pod that is
 * not started again, and an init container.
 */
export function runsToCompletion({ container, role }: Target, { spec }: Pod): boolean {
  const ofPod = role === "init" ? "Never" : (spec.restartPolicy ?? "Always");
  return (container.restartPolicy ?? ofPod) !== "Always";
}

/**
 * The settings of one container: a changed secret must not end work that is half done and begin it
 * again, unless an annotation or a SvcConfig asks for that.
 */
export function settingsFor(
  target: Target,
  pod: Pod,
  settings: InjectionSettings,
): InjectionSettings {
  const keeps = settings.texts.has("rotation") || !runsToCompletion(target, pod);
  return keeps ? settings : { ...settings, values: { ...settings.values, rotation: "none" } };
}

/** The sentence about containers that get no rotation for that reason. */
export function completionWarnings(
  targets: readonly Target[],
  pod: Pod,
  { texts, operator }: InjectionSettings,
): readonly string[] {
  const names = targets
    .filter((target) => runsToCompletion(target, pod))
    .filter(({ container }) => !setsVariable(container, "SVC_ROTATION"))
    .map(({ container }) => container.name);
  if (texts.has("rotation") || names.length === 0) return [];
  const who = names.length === 1 ? `container ${names[0]}` : `containers ${names.join(", ")}`;
  return [
    `${who}: the work runs to completion, so a changed secret does not start it again (to have that, set ${operator.prefix}/rotation: restart)`,
  ];
}
