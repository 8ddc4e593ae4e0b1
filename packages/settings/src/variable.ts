import type { Parser } from "./parsed.ts";

/** Whether a program starts without a variable. */
export type Requiredness = "yes" | "no" | { readonly conditional: string };

/**
 * One row of a table of settings, as its author writes it: a program reads the table at every
 * start. The reference page is made of these rows.
 */
export interface Variable<T = unknown, Default extends string | undefined = string | undefined> {
  /** The environment variable; for a row without one the flag with its dashes. */
  readonly name: string;
  /** Older names of the environment variable. Default: none. */
  readonly aliases?: readonly string[];
  /**
   * The flag without its dashes if it does not follow from the name, and false if a flag would
   * be wrong. `flagOf` gives the flag of a row.
   */
  readonly flag?: false | string;
  /** The letter of the short flag. Default: none. */
  readonly short?: string;
  /** True for a row that only the command line can set. */
  readonly flagOnly?: true;
  /** The heading under which the reference lists it. */
  readonly group: string;
  /** The kind of value in a word or two; `boolean` also makes the flag work without a value. */
  readonly type: string;
  /** The text that stands for an unset variable; parsed like any other. */
  readonly default?: Default;
  /** Default: `no`. */
  readonly requiredness?: Requiredness;
  /** Sentences for the reference. */
  readonly meaning: string;
  /** True when nothing of the value may be shown in a message. */
  readonly secret?: true;
  /** Undefined for a variable that is in the reference but whose value is never read here. */
  readonly parse: Parser<T> | undefined;
}

/** The rows by the names that the code gives them. */
export type VariableTable = Readonly<Record<string, Variable>>;

/** A row for an environment variable. Its flag follows from its name unless it is given. */
export function variable<T, const Default extends string | undefined = undefined>(
  row: Omit<Variable<T, Default>, "flagOnly">,
): Variable<T, Default> {
  return row;
}

/** A row for a flag behind which no environment variable stands. */
export function flagOnly<T, const Default extends string | undefined = undefined>(
  row: Omit<Variable<T, Default>, "aliases" | "flag" | "flagOnly">,
): Variable<T, Default> {
  return { ...row, flagOnly: true };
}

/** The flag of a row without its dashes; undefined if a flag would be wrong. */
export function flagOf({ name, flag, flagOnly: isFlag }: Variable): string | undefined {
  if (flag === false) return undefined;
  return flag ?? (isFlag ? name.slice("--".length) : flagOfName(name));
}

/** The row that a flag is for; undefined if there is none. */
export function rowOfFlag(table: VariableTable, flag: string): Variable | undefined {
  const name = flag.toUpperCase().replaceAll("-", "_");
  const names = [name, `SVC_${name}`, `--${flag}`];
  // For most rows the name alone shows that the flag is not theirs.
  const mayHave = (row: Variable) => row.flag !== undefined || names.includes(row.name);
  return Object.values(table).find((row) => mayHave(row) && flagOf(row) === flag);
}

/** `SVC_SECRET_PATHS` is `secret-paths`, `VAULT_ADDR` is `vault-addr`. */
export function flagOfName(name: string): string {
  const bare = name.startsWith("SVC_") ? name.slice("SVC_".length) : name;
  return bare.toLowerCase().replaceAll("_", "-");
}
