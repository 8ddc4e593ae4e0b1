import { areaOf, type Budget } from "./budget.ts";
import type { Finding, Prose } from "./find-prose.ts";

/** Counts findings by area. A path that belongs to no area is an area with a budget of 0. */
export function countByArea(found: readonly Finding[], budget: Budget): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of found) {
    const area = areaOf(path, budget) ?? path;
    counts[area] = (counts[area] ?? 0) + 1;
  }
  return counts;
}

/** A table of findings for each 10,000 words, by area and rule, as lines. */
export function densityLines(
  found: readonly Finding[],
  texts: readonly Prose[],
  budget: Budget,
): readonly string[] {
  const rules = [...new Set(found.map(({ rule }) => rule))].sort();
  const rows = Object.keys(budget).map((area) => {
    const words = texts
      .filter(({ path }) => areaOf(path, budget) === area)
      .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
    const here = found.filter(({ path }) => areaOf(path, budget) === area);
    const per = rules.map((rule) => {
      const count = here.filter((finding) => finding.rule === rule).length;
      return words === 0 ? 0 : Math.round((count * 10_000) / words);
    });
    return [area, words, here.length, ...per].join("\t");
  });
  return [["area", "words", "findings", ...rules].join("\t"), ...rows];
}
