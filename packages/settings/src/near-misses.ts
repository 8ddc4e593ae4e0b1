import { closest } from "./closest.ts";
import { isIdentifier } from "./identifier.ts";
import type { VariableTable } from "./variable.ts";

/** The names among which misspelt ones are looked for. */
export interface NearMissRules {
  readonly table: VariableTable;
  /** Only names that begin like this are looked at. */
  readonly prefixes: readonly string[];
}

/**
 * A warning for each name in the environment that is almost one of the table's.
 *
 * Names further than two edits away are left alone: Kubernetes itself sets SVC_PORT or
 * VAULT_SERVICE_HOST for a Service of that name, and other tools read VAULT_ variables too.
 */
export function nearMisses(names: Iterable<string>, rules: NearMissRules): readonly string[] {
  const rows = Object.values(rules.table).filter((row) => !row.flagOnly);
  const accepted = new Set<string>();
  for (const { name, aliases = [] } of rows) {
    accepted.add(name);
    for (const alias of aliases) accepted.add(alias);
  }
  const warnings: string[] = [];
  for (const name of names) {
    if (accepted.has(name) || !isIdentifier(name)) continue;
    if (!rules.prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const near = closest(
      name,
      rows.map((row) => row.name),
    );
    if (near !== undefined) {
      warnings.push(`${name}: is not a variable of ours and has no effect: did you mean ${near}?`);
    }
  }
  return warnings;
}
