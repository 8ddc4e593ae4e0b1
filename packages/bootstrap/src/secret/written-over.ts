import { annotationNames } from "./secret-format.ts";
import type { SecretContent } from "./secret-object.ts";

/**
 * A Secret's content for a write over the present one. Notes of others stay: the tool that
 * made the Secret finds it again by its own labels and annotations.
 */
export function writtenOver(content: SecretContent, seen: SecretContent): SecretContent {
  const others = Object.entries(seen.annotations).filter(
    ([name]) => !annotationNames.includes(name),
  );
  return {
    ...content,
    labels: { ...content.labels, ...seen.labels },
    annotations: { ...Object.fromEntries(others), ...content.annotations },
  };
}
