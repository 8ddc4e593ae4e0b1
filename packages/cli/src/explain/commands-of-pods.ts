import { type Container, type ImageAnswer, type Pod, parsePod } from "@svc/operator";
import type { Manifest } from "../cluster/cluster-view.ts";

/**
 * The commands of images that pods of the template have: the operator has asked the registry for
 * them, and has written each into a container's variable. Images that no such pod uses are left out.
 *
 * @param wrappedIn the containers of a pod that have a wrapper
 */
export function commandsOfPods(
  template: Pod,
  pods: readonly Manifest[],
  wrappedIn: (pod: unknown) => readonly string[],
): ReadonlyMap<string, ImageAnswer> {
  const made = pods.flatMap((pod) => {
    const parsed = parsePod(pod);
    const wrapped = wrappedIn(pod);
    if (!parsed.ok) return [];
    return containersOf(parsed.pod).filter(({ name }) => wrapped.includes(name));
  });
  return new Map(
    containersOf(template).flatMap(({ name, image, command }) => {
      if (!image || (command ?? []).length > 0) return [];
      const same = made.find((one) => one.name === name && one.image === image);
      const words = same === undefined ? undefined : originalCommand(same);
      if (words === undefined) return [];
      const config = { entrypoint: words, command: [] };
      return [[image, { kind: "found", config }] as const];
    }),
  );
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}

/** As the operator writes it: a JSON array, whose dollars are doubled for Kubernetes. */
function originalCommand({ env }: Container): readonly string[] | undefined {
  const text = env?.find(({ name }) => name === "SVC_ORIGINAL_CMD")?.value ?? "";
  try {
    const words: unknown = JSON.parse(text.replaceAll("$$", "$"));
    const isList = Array.isArray(words) && words.every((word) => typeof word === "string");
    return isList && words.length > 0 ? words : undefined;
  } catch {
    return undefined;
  }
}
