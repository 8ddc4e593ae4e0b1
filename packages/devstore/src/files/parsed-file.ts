import type { JsonValue } from "../json/json.ts";
import type { SecretsByPath } from "../model/secrets-by-path.ts";

/** One thing that is wrong with a file; `line` counts from 1. */
export interface SecretsProblem {
  readonly line: number;
  readonly message: string;
}

/** The secrets of a file, or everything that is wrong with it. */
export type ParsedSecrets =
  | { readonly ok: true; readonly secrets: SecretsByPath }
  | { readonly ok: false; readonly problems: readonly SecretsProblem[] };

/** The value of a file's text, or its problems: the result of each format's parser. */
export type ParsedFile =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problems: readonly SecretsProblem[] };
