import { type Failure, failure, WrapperError } from "../errors.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import type { SecretSettings } from "../settings.ts";
import type { SecretEntry } from "./delivery.ts";
import { type MappedField, mapFields } from "./map-fields.ts";
import { mapFiles } from "./map-files.ts";
import { searchKeys } from "./search-keys.ts";
import { type SourceOutcome, sourceFailure } from "./source-outcome.ts";
import { valueProblem } from "./value-problem.ts";

/** The delivery: variables, and files. */
export interface Resolved {
  readonly entries: readonly SecretEntry[];
  readonly files: readonly FileEntry[];
}

/**
 * Turns the read secrets into the delivery. Pure; either all of it is right or nothing is
 * delivered.
 *
 * @throws WrapperError with every problem, each naming path, field and variable.
 */
export function resolveSecrets(
  settings: SecretSettings,
  outcomes: readonly SourceOutcome[],
): Resolved {
  const failures: Failure[] = [...unreadSecrets(outcomes)];
  const fields = [
    ...mapFields(settings.sources, outcomes, failures),
    ...searchKeys(settings, outcomes, failures),
  ];
  const entries = fields.flatMap((field) => entryOf(field, settings, failures));
  const files = mapFiles(settings, outcomes, failures);
  failures.push(...duplicates(fields), ...namesOfFiles(fields, files));
  if (entries.length === 0 && files.length === 0 && failures.length === 0) {
    failures.push(
      failure(
        "NOTHING_TO_DELIVER",
        "map secrets: neither a variable nor a file came out of the mapping",
      ),
    );
  }
  const [first, ...rest] = failures;
  if (first !== undefined) throw new WrapperError([first, ...rest]);
  return { entries, files };
}

/** The names that `*` gives are known only now. */
function namesOfFiles(
  fields: readonly MappedField[],
  files: readonly FileEntry[],
): readonly Failure[] {
  const named = new Map(files.map(({ file }) => [file.variable, file.path]));
  return fields.flatMap((field) => {
    const path = named.get(field.variable);
    if (path === undefined) return [];
    const message = `deliver ${placeOf(field)}: SVC_FILE_MAP gives that variable the path ${path}`;
    return [failure("VARIABLE_DUPLICATE", message)];
  });
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
  const problem = valueProblem(field.value, settings);
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
