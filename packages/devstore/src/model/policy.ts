/** The capabilities of a policy rule; `deny` wins over all others. */
export type Capability =
  | "create"
  | "read"
  | "update"
  | "patch"
  | "delete"
  | "list"
  | "sudo"
  | "deny";

/**
 * One rule: an exact path, a prefix ending in `*`, or a path in which the segment `+` stands for
 * any one segment. Paths are written as in OpenBao policies, without `/v1/`.
 */
export interface PolicyRule {
  readonly path: string;
  readonly capabilities: readonly Capability[];
}

/**
 * The capabilities that `rules` give on `path`. The best matching path decides alone, as in
 * OpenBao: an exact one first, else the more specific pattern. Equal paths of several policies add
 * up, and one `deny` among them takes all away.
 */
export function capabilitiesOn(
  path: string,
  rules: readonly PolicyRule[],
): ReadonlySet<Capability> {
  const best = bestPattern(path, rules);
  const granted = rules.filter((rule) => rule.path === best).flatMap((rule) => rule.capabilities);
  return new Set(granted.includes("deny") ? [] : granted);
}

/**
 * True when any rule can allow something on or below `prefix`, the question of `sys/internal/ui`.
 */
export function reaches(prefix: string, rules: readonly PolicyRule[]): boolean {
  return rules.some((rule) => {
    if (rule.capabilities.includes("deny")) return false;
    const fixed = rule.path.split(/[+*]/, 1)[0] ?? "";
    const open = fixed.length < rule.path.length;
    return fixed.startsWith(prefix) || (open && prefix.startsWith(fixed));
  });
}

function bestPattern(path: string, rules: readonly PolicyRule[]): string | undefined {
  const patterns = rules.map((rule) => rule.path);
  if (patterns.includes(path)) return path;
  return patterns.filter((pattern) => matches(pattern, path)).sort(moreSpecificFirst)[0];
}

function matches(pattern: string, path: string): boolean {
  const prefix = pattern.endsWith("*");
  const wanted = (prefix ? pattern.slice(0, -1) : pattern).split("/");
  const given = path.split("/");
  if (prefix ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, index) => {
    const actual = given[index] ?? "";
    if (segment === "+") return true;
    return prefix && index === wanted.length - 1 ? actual.startsWith(segment) : actual === segment;
  });
}

/** The priority rules of OpenBao's policy documentation, one comparison after the other. */
function moreSpecificFirst(left: string, right: string): number {
  return (
    firstWildcard(right) - firstWildcard(left) ||
    Number(left.endsWith("*")) - Number(right.endsWith("*")) ||
    plusCount(left) - plusCount(right) ||
    right.length - left.length ||
    (left < right ? 1 : -1)
  );
}

function firstWildcard(pattern: string): number {
  const index = pattern.search(/[+*]/);
  return index === -1 ? pattern.length : index;
}

function plusCount(pattern: string): number {
  return pattern.split("/").filter((segment) => segment === "+").length;
}
