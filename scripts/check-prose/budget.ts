/** How many findings each area may have, by the prefix of its paths. */
export type Budget = Readonly<Record<string, number>>;

/** A budget may exceed the findings by this many, so that branches that both rewrite can be merged. */
export const SLACK = 10;

/** The area of a path is the longest prefix that the budget names. */
export function areaOf(path: string, budget: Budget): string | undefined {
  return Object.keys(budget)
    .filter((area) => path === area || (area.endsWith("/") && path.startsWith(area)))
    .sort((one, other) => other.length - one.length)[0];
}

/**
 * The areas with more findings than they may have, and the areas with a budget that is too
 * generous.
 */
export function budgetProblems(found: Budget, budget: Budget): readonly string[] {
  const areas = new Set([...Object.keys(budget), ...Object.keys(found)]);
  return [...areas].sort().flatMap((area) => {
    const { [area]: count = 0 } = found;
    const { [area]: allowed = 0 } = budget;
    if (count > allowed) return [`${area}: ${count} findings, ${allowed} allowed`];
    if (count >= allowed - SLACK) return [];
    return [`${area}: ${count} findings, ${allowed} allowed: run check-prose.ts --lower`];
  });
}

/** The budget with each area lowered to its findings. No area is raised. */
export function lowered(found: Budget, budget: Budget): Budget {
  return Object.fromEntries(
    Object.entries(budget).map(([area, allowed]) => [area, Math.min(found[area] ?? 0, allowed)]),
  );
}
