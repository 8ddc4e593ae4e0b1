import type { Protection } from "../health/wrapper-facts.ts";
import type { ProtectionFacts } from "./protection-facts.ts";
import { protectionItems } from "./protection-items.ts";

/** How well a program is protected. */
export interface ProtectionScore {
  /** 0 to 100: the sum of the points. */
  readonly score: number;
  readonly items: readonly ScoredItem[];
}

/** What one protection brought. */
export interface ScoredItem {
  readonly protection: Protection;
  readonly points: number;
  readonly most: number;
  readonly wanted: string;
  readonly found: string;
  /** How to get what is missing. */
  readonly hint: string;
  /** Who can follow the hint. */
  readonly by: "application" | "node";
}

/** Pure: what each protection brings, and their sum. */
export function scoreOf(facts: ProtectionFacts): ProtectionScore {
  const items = protectionItems.map(({ judge, ...item }) => ({
    ...item,
    ...judge(facts, item.most),
  }));
  return { score: items.reduce((sum, { points }) => sum + points, 0), items };
}

/** Pure: what does not bring all that it could. */
export function missingOf({ items }: ProtectionScore): readonly ScoredItem[] {
  return items.filter(({ points, most }) => points < most);
}

/**
 * Pure: what is missing, with a hint where the application's team can follow it, in one line; empty where
 * nothing is.
 */
export function describeMissing(score: ProtectionScore): string {
  return missingOf(score)
    .map(({ protection, found, hint, by }) =>
      by === "application" ? `${protection}: ${found} (${hint})` : `${protection}: ${found}`,
    )
    .join("; ");
}
