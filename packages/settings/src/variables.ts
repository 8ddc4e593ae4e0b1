import { accepted, type Parsed } from "./parsed.ts";
import { type Problem, problem, problemsOf } from "./problem.ts";
import type { Variable, VariableTable } from "./variable.ts";

/** The type that a row's parser gives; undefined is possible only where there is no default. */
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

/** What the outside says about the settings. */
export interface VariablesInput {
  readonly environment: ReadonlyMap<string, string>;
  /** Values by flag, without dashes. A flag wins over its variable, whatever that holds. */
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
  /** Where a text was refused, its row holds the default, so that other rows can be checked. */
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
 * An empty variable counts as not set: in Kubernetes a value that is templated away stays behind
 * as an empty string, and no setting of ours has an empty text as a value.
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
  for (const [key, row] of Object.entries(table)) {
    values[key] = defaultOf(row);
    if (row.parse === undefined || input.ignored?.has(key) === true) continue;
    const { text, faults } = findText(row, input);
    // Most rows at every start.
    if (text === undefined && row.requiredness !== "yes") continue;
    if (text !== undefined) given.set(key, text);
    const parsed = text === undefined ? accepted(values[key]) : row.parse(text.text);
    if (parsed.ok) values[key] = parsed.value;
    const found = [...faults, ...rowProblems(row, parsed, text)];
    if (found.length > 0) failed.add(key);
    problems.push(...found);
  }
  // Each key of the table was given the value of its own parser or of its default just above.
  return { values: values as Values<Table>, given, failed, problems };
}

function defaultOf(row: Variable): unknown {
  if (row.default === undefined || row.parse === undefined) return undefined;
  const parsed = row.parse(row.default);
  if (parsed.ok) return parsed.value;
  throw new RangeError(`default of ${row.name}: must be ${parsed.wanted}: got "${row.default}"`);
}

interface FoundText {
  readonly text?: GivenText;
  readonly faults: readonly Problem[];
}

function findText(row: Variable, { environment, flags }: VariablesInput): FoundText {
  const flagText = row.flag === undefined ? undefined : flags.get(row.flag);
  if (flagText !== undefined) {
    const label = row.flagOnly ? row.name : `--${row.flag} (${row.name})`;
    return { text: { label, from: "flag", text: flagText }, faults: [] };
  }
  if (row.flagOnly) return { faults: [] };
  if (row.aliases.length === 0) return ofEnvironment(row.name, environment.get(row.name));
  const texts = [row.name, ...row.aliases].flatMap((name): readonly GivenText[] => {
    const text = environment.get(name) ?? "";
    const label = name === row.name ? name : `${name} (old name of ${row.name})`;
    return text === "" ? [] : [{ label, from: "environment", text }];
  });
  const [first, ...others] = texts;
  if (first === undefined) return { faults: [] };
  const faults = others.filter(({ text }) => text !== first.text).map(contradiction(row.name));
  return { text: first, faults };
}

function ofEnvironment(name: string, text = ""): FoundText {
  if (text === "") return { faults: [] };
  return { text: { label: name, from: "environment", text }, faults: [] };
}

function contradiction(variable: string): (text: GivenText) => Problem {
  return ({ label }) =>
    problem({
      variable,
      wanted: "the same under its old name, or set once",
      found: `${label} says something else`,
    });
}

function rowProblems(
  row: Variable,
  parsed: Parsed<unknown>,
  given: GivenText | undefined,
): readonly Problem[] {
  if (given === undefined) return row.requiredness === "yes" ? [missing(row)] : [];
  if (parsed.ok) return [];
  const { label, text } = given;
  return problemsOf(parsed, { variable: row.name, label, text, secret: row.secret });
}

function missing({ name, flag }: Variable): Problem {
  const hint = flag === undefined ? undefined : `set it, or give --${flag}=VALUE`;
  return problem({ variable: name, wanted: "set", found: "it is not set", hint });
}
