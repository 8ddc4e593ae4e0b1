import { type Failure, failure } from "../errors.ts";
import type { SecretSettings } from "../settings.ts";
import type { MappedField } from "./map-fields.ts";
import type { SourceOutcome } from "./source-outcome.ts";

/** Finds each bare key of `--secrets` in exactly one of the paths. */
export function searchKeys(
  { sources, searchedKeys }: SecretSettings,
  outcomes: readonly SourceOutcome[],
  failures: Failure[],
): readonly MappedField[] {
  // With a path unread the answer could be wrong: the unread path is reported on its own.
  if (outcomes.some(({ ok }) => !ok)) return [];
  const searched = sources.flatMap(({ path, mappings }, index) => {
    const outcome = outcomes[index];
    if (mappings.length > 0 || outcome?.ok !== true) return [];
    return [{ path, fields: outcome.secret.fields }];
  });
  return searchedKeys.flatMap((key) => {
    const found = searched.filter(({ fields }) => fields.has(key));
    const [first, second] = found;
    if (first !== undefined && second === undefined) {
      const value = first.fields.get(key) ?? null;
      return [{ path: first.path, field: key, variable: key, value }];
    }
    const paths = (first === undefined ? searched : found).map(({ path }) => path).join(", ");
    const what = first === undefined ? `no field "${key}" in` : `field "${key}" is in several of`;
    failures.push(failure("FIELD_MISSING", `deliver ${key}: ${what} ${paths}`));
    return [];
  });
}
