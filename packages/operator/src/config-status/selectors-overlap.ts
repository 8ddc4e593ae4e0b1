import type { LabelSelector } from "../svc-config/svc-config.ts";

/** True if labels are possible that satisfy both selectors; such a pod would be refused. */
export function selectorsOverlap(a: LabelSelector, b: LabelSelector): boolean {
  const needs = [...needsOf(a), ...needsOf(b)];
  const keys = new Set(needs.map(({ key }) => key));
  return [...keys].every((key) => isPossible(needs.filter((need) => need.key === key)));
}

/** The requirement of one part of a selector for a label. */
interface Need {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

function needsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Need[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({
      ...({ key, operator: "In", values: [value] } as const),
    })),
    ...matchExpressions.map(({ values = [], ...rest }) => ({ ...rest, values })),
  ];
}

/** Whether a pod can have one label, or go without, so that all is met. */
function isPossible(needs: readonly Need[]): boolean {
  const has = (wanted: Need["operator"]) => needs.filter(({ operator }) => operator === wanted);
  const [lists, refusals] = [has("In"), has("NotIn")];
  const mustBe = lists.length > 0 || has("Exists").length > 0;
  if (has("DoesNotExist").length > 0) return !mustBe;
  const [first, ...others] = lists;
  // There are always more unlisted values than any selector refuses.
  if (first === undefined) return true;
  return first.values.some(
    (value) =>
      others.every(({ values }) => values.includes(value)) &&
      !refusals.some(({ values }) => values.includes(value)),
  );
}
