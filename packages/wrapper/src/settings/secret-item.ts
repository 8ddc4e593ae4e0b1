import {
  accepted,
  hasPlainSegments,
  type KvPath,
  type Parsed,
  parseKvPath,
  parseVariableName,
  refused,
} from "@svc/settings";

/** One item of `--secrets`. */
export type SecretItem =
  | { readonly kind: "key"; readonly key: string }
  | {
      readonly kind: "placed";
      readonly variable: string;
      readonly path: KvPath;
      /** Absent where the secret has one field that matters. */
      readonly field?: string;
    };

const wanted = "KEY or VAR=mount/data/path#field";

/**
 * Parses `KEY`, `VAR=mount/data/path`, `VAR=mount/data/path#field` or, with a version,
 * `VAR=mount/data/path#field#3`.
 *
 * A lone number after # is refused. In SVC_SECRET_PATHS it pins a version, and here it would be a
 * field. A user who confuses the two would get another secret.
 */
export function parseSecretItem(text: string): Parsed<SecretItem> {
  const equals = text.indexOf("=");
  if (equals === -1) return parseKey(text);
  const variable = text.slice(0, equals).trim();
  const name = parseVariableName(variable);
  if (!name.ok) return refused(`${wanted} with ${name.wanted}`);
  const [path = "", field, ...rest] = text
    .slice(equals + 1)
    .trim()
    .split("#");
  const parsed = parseKvPath([path, ...rest].join("#"));
  if (!parsed.ok) return { ...parsed, wanted: `${wanted}: ${parsed.wanted}` };
  if (rest.length === 0 && /^\d+$/.test(field ?? "")) {
    return refused(`${wanted} with the name of a field behind #`, {
      hint: `version ${field} of a secret is #field#${field}`,
    });
  }
  if (field === "") return refused(`${wanted} with the name of a field behind #`);
  const placed = { kind: "placed", variable, path: parsed.value } as const;
  return accepted(field === undefined ? placed : { ...placed, field });
}

/** A key is a variable, and without paths the end of a path too. */
function parseKey(key: string): Parsed<SecretItem> {
  const isSegment = hasPlainSegments(key) && !key.includes("/");
  if (isSegment && parseVariableName(key).ok) return accepted({ kind: "key", key });
  return refused(`${wanted}, where KEY is a variable name without / ? # and *`, {
    hint: "to deliver a secret under another name, write VAR=mount/data/path#field",
  });
}
