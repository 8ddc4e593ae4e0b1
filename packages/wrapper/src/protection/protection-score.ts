import type { Protection } from "../health/wrapper-facts.ts";
import type { ProtectionFacts } from "./protection-facts.ts";
import { protectionItems } from "./protection-items.ts";

/** How well a program is protected. */
export interface ProtectionScore {
  /** 0 to 100: the sum of the points. */
  readonly score: number;
  readonly items: readonly ScoredItem[];
}

/** The result for one protection. */
export interface ScoredItem {
  readonly protection: Protection;
  readonly points: number;
  readonly most: number;
  readonly wanted: string;
  readonly found: string;
  /** How to get the missing points. */
  readonly hint: string;
  /** The audience of the hint. */
  readonly by: "application" | "node";
}

/** Pure: the points of each protection, and their sum. */
export function scoreOf(facts: ProtectionFacts): ProtectionScore {
  const items = protectionItems.map(({ judge, ...item }) => ({
    ...item,
    ...judge(facts, item.most),
  }));
  return { score: items.reduce((sum, { points }) => sum + points, 0), items };
}

/** Pure: the incomplete protections. */
export function missingOf({ items }: ProtectionScore): readonly ScoredItem[] {
  return items.filter(({ points, most }) => points < most);
}

/**
 * Pure: the missing points in one line, with hints for the application's team; empty if
 * there are none.
 */
export function describeMissing(score: ProtectionScore): string {
  return missingOf(score)
    .map(({ protection, found, hint, by }) =>
      by === "application" ? `${protection}: ${found} (${hint})` : `${protection}: ${found}`,
    )
    .join("; ");
}
