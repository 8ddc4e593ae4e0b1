import type { Parser } from "./parsed.ts";
import { type Problem, problem, problemsOf } from "./problem.ts";
import { flagOf, rowOfFlag, type Variable, type VariableTable } from "./variable.ts";

/** The type that a row's parser gives; undefined is possible only if there is no default. */
export type ValueOf<Row> =
  Row extends Variable<infer T, infer Default>
    ? Default extends string
      ? T
      : T | undefined
    : never;

/** The values of a table by the names of its rows. */
export type Values<Table extends VariableTable> = {
  readonly [Key in keyof Table]: ValueOf<Table[Key]>;
};

/** The inputs for the settings. */
export interface VariablesInput {
  readonly environment: ReadonlyMap<string, string>;
  /** Values by flag, without dashes. A flag takes precedence over its variable, for every value. */
  readonly flags: ReadonlyMap<string, string>;
  /** Rows that something else overrides: their texts are not even checked. */
  readonly ignored?: ReadonlySet<string>;
}

/** A text that was given for a row. */
export interface GivenText {
  /** How a message names its place: the variable, its old name, or the flag. */
  readonly label: string;
  readonly from: "flag" | "environment";
  readonly text: string;
}

/** The outcome for a whole table. Nothing may be started with it while there are problems. */
export interface ParsedVariables<Table extends VariableTable> {
  /** If a text was refused, its row holds the default, so that other rows can be checked. */
  readonly values: Values<Table>;
  /** The rows for which a text was given. */
  readonly given: ReadonlyMap<string, GivenText>;
  /** The rows that have a problem, so that no second problem is made out of the first. */
  readonly failed: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/**
 * Parses every row of a table and collects all problems, by variable.
 *
 * An empty variable counts as not set. In Kubernetes a value that is templated away stays behind as
 * an empty string, and none of the settings has an empty text as a value.
 *
 * @throws RangeError when a row's default is refused by its own parser.
 */
export function parseVariables<Table extends VariableTable>(
  table: Table,
  input: VariablesInput,
): ParsedVariables<Table> {
  const values: Record<string, unknown> = {};
  const given = new Map<string, GivenText>();
  const failed = new Set<string>();
  const problems: Problem[] = [];
  const flags = flagsByRow(table, input.flags);
  for (const [key, row] of Object.entries<Variable>(table)) {
    values[key] = defaultOf(row);
    if (row.parse === undefined || input.ignored?.has(key) === true) continue;
    const found = findText(row, flags.get(row), input.environment);
    // Most rows at every start.
    if (found === undefined && row.requiredness !== "yes") continue;
    const { text, value, wrong } = judged(row, row.parse, found);
    if (text !== undefined) given.set(key, text);
    if (value !== undefined) values[key] = value.value;
    if (wrong.length > 0) failed.add(key);
    problems.push(...wrong);
  }
  // Each key of the table was given the value of its parser or of its default just above.
  return { values: values as Values<Table>, given, failed, problems };
}

/** The texts of flags by the rows that they are for; flags are few, and rows are many. */
function flagsByRow(
  table: VariableTable,
  flags: VariablesInput["flags"],
): ReadonlyMap<Variable, string> {
  const byRow = new Map<Variable, string>();
  for (const [flag, text] of flags) {
    const row = rowOfFlag(table, flag);
    if (row !== undefined) byRow.set(row, text);
  }
  return byRow;
}

interface Judged {
  readonly text?: GivenText;
  readonly value?: { readonly value: unknown };
  readonly wrong: readonly Problem[];
}

function judged(row: Variable, parse: Parser<unknown>, found: FoundText | undefined): Judged {
  if (found === undefined) return { wrong: [missing(row)] };
  const { text, faults } = found;
  const parsed = parse(text.text);
  if (parsed.ok) return { text, value: parsed, wrong: faults };
  const { label, text: refusedText } = text;
  const source = { variable: row.name, label, text: refusedText, secret: row.secret === true };
  return { text, wrong: [...faults, ...problemsOf(parsed, source)] };
}

function defaultOf(row: Variable): unknown {
  if (row.default === undefined || row.parse === undefined) return undefined;
  const parsed = row.parse(row.default);
  if (parsed.ok) return parsed.value;
  throw new RangeError(`default of ${row.name}: must be ${parsed.wanted}: got "${row.default}"`);
}

interface FoundText {
  readonly text: GivenText;
  readonly faults: readonly Problem[];
}

function findText(
  row: Variable,
  flagText: string | undefined,
  environment: VariablesInput["environment"],
): FoundText | undefined {
  if (flagText !== undefined) {
    const label = row.flagOnly ? row.name : `--${flagOf(row)} (${row.name})`;
    return { text: { label, from: "flag", text: flagText }, faults: [] };
  }
  if (row.flagOnly) return undefined;
  if (row.aliases !== undefined)
    return findAmongNames(row, [row.name, ...row.aliases], environment);
  const text = environment.get(row.name) ?? "";
  if (text === "") return undefined;
  return { text: { label: row.name, from: "environment", text }, faults: [] };
}

function findAmongNames(
  row: Variable,
  names: readonly string[],
  environment: VariablesInput["environment"],
): FoundText | undefined {
  const texts = names.flatMap((name): readonly GivenText[] => {
    const text = environment.get(name) ?? "";
    const label = name === row.name ? name : `${name} (old name of ${row.name})`;
    return text === "" ? [] : [{ label, from: "environment", text }];
  });
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  const faults = others.filter(({ text }) => text !== first.text).map(contradiction(row.name));
  return { text: first, faults };
}

function contradiction(variable: string): (text: GivenText) => Problem {
  return ({ label }) =>
    problem({
      variable,
      wanted: "the same under its old name, or set once",
      found: `${label} says something else`,
    });
}

function missing(row: Variable): Problem {
  const { name } = row;
  const flag = flagOf(row);
  const hint = flag === undefined ? undefined : `set it, or give --${flag}=VALUE`;
  return problem({ variable: name, wanted: "set", found: "it is not set", hint });
}
