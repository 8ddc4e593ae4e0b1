import { editDistance } from "./edit-distance.ts";

/**
 * The candidate nearest to a text by edit distance, upper and lower case being the same;
 * undefined when none is within `limit` edits.
 */
export function closest(text: string, candidates: Iterable<string>, limit = 2): string | undefined {
  const wanted = text.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    // The lengths alone rule most candidates out, and any text of absurd length.
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    const near = distance <= limit && distance < candidate.length;
    if (near && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}
