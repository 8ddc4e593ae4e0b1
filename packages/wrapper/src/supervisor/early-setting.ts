import { type EnvironmentEntry, valueBytes } from "@svc/kernel";

/** Where settings are read from. */
export interface SettingSources {
  readonly flags: readonly string[];
  readonly environment: readonly EnvironmentEntry[];
}

/**
 * The text of one setting, unchecked, while the settings are wrong as a whole: the form and the
 * place of the report may be among those that are right. Undefined if it is not given or empty.
 */
export function earlySetting(
  { flags, environment }: SettingSources,
  name: { readonly flag: string; readonly variable: string },
): string | undefined {
  const given = flagText(flags, name.flag);
  if (given !== undefined) return given;
  const entry = environment.find((candidate) => candidate.name === name.variable);
  return (entry && new TextDecoder().decode(valueBytes(entry))) || undefined;
}

function flagText(flags: readonly string[], flag: string): string | undefined {
  const at = flags.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = flags[at];
  if (word === undefined) return undefined;
  return (word === flag ? flags[at + 1] : word.slice(flag.length + 1)) || undefined;
}
