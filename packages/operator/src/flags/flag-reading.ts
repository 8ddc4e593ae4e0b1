import { complain, type ParsedVariables, type Problem, type VariableTable } from "@svc/settings";

/** The parsed flags of a table, while the rules between them add their problems. */
export type FlagReading<Table extends VariableTable> = Omit<ParsedVariables<Table>, "problems"> & {
  readonly problems: Problem[];
};

/** Complains if the first row is set and the second, without which it has no effect, is not. */
export function requireBeside<Table extends VariableTable>(
  { given, failed, problems }: Pick<FlagReading<Table>, "given" | "failed" | "problems">,
  table: Table,
  [key, other]: readonly [keyof Table & string, keyof Table & string],
): void {
  const row = table[key];
  if (row === undefined || !given.has(key) || given.has(other) || failed.has(key)) return;
  const wanted = `set together with ${table[other]?.name}`;
  complain({ problems }, { variable: row.name, wanted, found: "that one is not set" });
}
