import type { Parser } from "./parsed.ts";

/** Whether a program starts without a variable. */
export type Requiredness = "yes" | "no" | { readonly conditional: string };

/** One row of a table of settings. The reference page is made of these rows. */
export interface Variable<T = unknown, Default extends string | undefined = string | undefined> {
  /** The environment variable; for a row without one the flag with its dashes. */
  readonly name: string;
  /** Older names of the environment variable. */
  readonly aliases: readonly string[];
  /** The flag without its dashes; undefined where a flag would be wrong. */
  readonly flag: string | undefined;
  /** The letter of the short flag; undefined where there is none. */
  readonly short: string | undefined;
  /** True for a row that only the command line can set. */
  readonly flagOnly: boolean;
  /** The heading under which the reference lists it. */
  readonly group: string;
  /** The kind of value in a word or two; `boolean` also makes the flag work without a value. */
  readonly type: string;
  /** The text that stands for an unset variable; parsed like any other. */
  readonly default: Default;
  readonly requiredness: Requiredness;
  /** Sentences for the reference. */
  readonly meaning: string;
  /** True when nothing of the value may be shown in a message. */
  readonly secret: boolean;
  /** Undefined for a variable that is in the reference but whose value is never read here. */
  readonly parse: Parser<T> | undefined;
}

/** The rows by the names that the code gives them. */
export type VariableTable = Readonly<Record<string, Variable>>;

/** What the author of a row writes; the rest follows from it. */
export interface VariableDefinition<T, Default extends string | undefined> {
  readonly name: string;
  readonly group: string;
  readonly type: string;
  readonly meaning: string;
  readonly parse: Parser<T> | undefined;
  readonly default?: Default;
  readonly requiredness?: Requiredness;
  readonly aliases?: readonly string[];
  /** False for none; the flag without its dashes where it does not follow from the name. */
  readonly flag?: false | string;
  readonly short?: string;
  readonly secret?: true;
}

/** Builds a row for an environment variable. Its flag follows from its name unless it is given. */
export function variable<T, const Default extends string | undefined = undefined>(
  definition: VariableDefinition<T, Default>,
): Variable<T, Default> {
  const { aliases = [], requiredness = "no", flag, short, secret = false } = definition;
  return {
    ...definition,
    aliases,
    requiredness,
    secret,
    short,
    flag: flag === false ? undefined : (flag ?? flagOf(definition.name)),
    flagOnly: false,
    // Without a default in the definition, Default is undefined, and so is this.
    default: definition.default as Default,
  };
}

/** Builds a row for a flag behind which no environment variable stands. */
export function flagOnly<T, const Default extends string | undefined = undefined>(
  definition: Omit<VariableDefinition<T, Default>, "aliases" | "flag">,
): Variable<T, Default> {
  const row = variable<T, Default>(definition);
  return { ...row, flag: definition.name.replace(/^--/, ""), flagOnly: true };
}

/** `SVC_SECRET_PATHS` is `secret-paths`, `VAULT_ADDR` is `vault-addr`. */
export function flagOf(name: string): string {
  // No pattern: every start does this for every row.
  const bare = name.startsWith("SVC_") ? name.slice("SVC_".length) : name;
  return bare.toLowerCase().replaceAll("_", "-");
}
