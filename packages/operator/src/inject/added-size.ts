import { type Problem, problem } from "@svc/settings";
import type { Target } from "./choose-containers.ts";
import { type ImageAnswer, needsImage } from "./find-program.ts";
import type { InjectionSettings } from "./injection-settings.ts";

/** The default size limit of etcd for one object (--max-request-bytes). */
const MOST_BYTES = 1.5 * 1024 * 1024;

/**
 * A problem if the pod would become too large to store. Every container gets all settings, and its
 * image's command: a pod of thousands that point at a large one would be a patch larger than our
 * memory.
 */
export function addedSizeProblems(
  targets: readonly Target[],
  images: ReadonlyMap<string, ImageAnswer>,
  { texts }: InjectionSettings,
): readonly Problem[] {
  const ofSettings = [...texts.values()].reduce((sum, { text }) => sum + text.length, 0);
  const ofImages = new Map([...images].map(([image, answer]) => [image, wordsOf(answer)]));
  const sizes = targets.map(({ container }) => {
    const words = needsImage(container) ? (ofImages.get(container.image ?? "") ?? 0) : 0;
    return ofSettings + words;
  });
  const size = sizes.reduce((sum, each) => sum + each, 0);
  if (size <= MOST_BYTES) return [];
  const wanted = `one that gets ${MOST_BYTES} bytes of settings and commands at most, the limit of the API server`;
  return [problem({ variable: "pod", wanted, found: `${targets.length} containers get ${size}` })];
}

function wordsOf(answer: ImageAnswer): number {
  if (answer.kind !== "found") return 0;
  const { entrypoint, command } = answer.config;
  return [...entrypoint, ...command].reduce((sum, word) => sum + word.length, 0);
}
