/** The names of the rows of a table, in their order. */
export function namesOf<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
): readonly Name[] {
  // A table is a literal: it has the rows of its type and no others.
  return Object.keys(table) as Name[];
}
