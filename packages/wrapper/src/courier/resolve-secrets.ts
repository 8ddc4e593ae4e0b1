import { type Failure, failure, WrapperError } from "../errors.ts";
import type { SecretSettings } from "../settings.ts";
import type { SecretEntry } from "./delivery.ts";
import { type MappedField, mapFields } from "./map-fields.ts";
import { searchKeys } from "./search-keys.ts";
import { type SourceOutcome, sourceFailure } from "./source-outcome.ts";
import { valueProblem } from "./value-problem.ts";

/**
 * Turns the read secrets into the delivery. Pure; either all of it is right or nothing is
 * delivered.
 *
 * @throws WrapperError with every problem, each naming path, field and variable.
 */
export function resolveSecrets(
  settings: SecretSettings,
  outcomes: readonly SourceOutcome[],
): readonly SecretEntry[] {
  const failures: Failure[] = [...unreadSecrets(outcomes)];
  const fields = [
    ...mapFields(settings.sources, outcomes, failures),
    ...searchKeys(settings, outcomes, failures),
  ];
  const entries = fields.flatMap((field) => entryOf(field, settings, failures));
  failures.push(...duplicates(fields));
  if (entries.length === 0 && failures.length === 0) {
    failures.push(
      failure("NOTHING_TO_DELIVER", "map secrets: no variable came out of the mapping"),
    );
  }
  const [first, ...rest] = failures;
  if (first !== undefined) throw new WrapperError([first, ...rest]);
  return entries;
}

/** The failed reads. A secret that is named by several sources failed once. */
export function unreadSecrets(outcomes: readonly SourceOutcome[]): readonly Failure[] {
  const errors = new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error])));
  return [...errors].map(sourceFailure);
}

function entryOf(
  field: MappedField,
  settings: SecretSettings,
  failures: Failure[],
): readonly SecretEntry[] {
  const problem = valueProblem(field.value, settings.allowReferences);
  if (problem === undefined && field.value !== null) {
    return [{ variable: field.variable, value: field.value, path: field.path }];
  }
  const hint = problem === undefined ? undefined : problem.hint;
  failures.push(failure("VALUE_REFUSED", `deliver ${placeOf(field)}: ${problem?.what}`, hint));
  return [];
}

function duplicates(fields: readonly MappedField[]): readonly Failure[] {
  const first = new Map<string, MappedField>();
  return fields.flatMap((field) => {
    const other = first.get(field.variable);
    if (other === undefined) first.set(field.variable, field);
    if (other === undefined) return [];
    const message = `deliver ${placeOf(field)}: already taken by field "${other.field}" of ${other.path}`;
    return [failure("VARIABLE_DUPLICATE", message)];
  });
}

function placeOf({ variable, field, path }: MappedField): string {
  return `${variable} from field "${field}" of ${path}`;
}
