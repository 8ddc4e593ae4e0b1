import { arrangeSecrets } from "./arrange-secrets.ts";
import { decodeText } from "./decode-text.ts";
import { parseDotenv } from "./dotenv.ts";
import { findJsonProblem } from "./json-problem.ts";
import type { ParsedFile, ParsedSecrets, SecretsProblem } from "./parsed-file.ts";
import { parseYaml } from "./yaml-file.ts";

/** How a file becomes secrets. */
export interface ParseSecretsOptions {
  /** The place of the fields of a flat file; by default `secret/data/app`. */
  readonly flatPath?: string;
}

/**
 * Reads the bytes of a secrets file, which must be UTF-8. The format follows from `name`: `.env`
 * (also `app.env` and `.env.local`), `.json`, `.yaml` or `.yml`. The name `-` is a stream: an object
 * of JSON, else lines of `.env`. A file whose top-level keys are KV
 * version 2 paths (`secret/data/db`) gives one secret per key; any other gives one secret at
 * `flatPath`.
 *
 * Problems never quote a value. YAML is parsed by Bun, which does not report a duplicate key.
 */
export function parseSecretsFile(
  name: string,
  bytes: Uint8Array,
  options: ParseSecretsOptions = {},
): ParsedSecrets {
  const { text, problems } = decodeText(bytes);
  const parse = name === "-" ? parserForStream(text) : parserFor(name);
  if (parse === undefined) {
    const message = `kind of file: must end in .env, .json, .yaml or .yml: got "${name}"`;
    return { ok: false, problems: [{ line: 1, message }] };
  }
  const parsed = parse(text);
  if (problems.length > 0) return { ok: false, problems: merged(problems, parsed) };
  if (!parsed.ok) return parsed;
  return arrangeSecrets(parsed.value, text, options.flatPath ?? "secret/data/app");
}

/** Tells one problem of each line: a line that is not UTF-8 has no other. */
function merged(problems: readonly SecretsProblem[], parsed: ParsedFile): SecretsProblem[] {
  const lines = new Set(problems.map(({ line }) => line));
  const others = parsed.ok ? [] : parsed.problems.filter(({ line }) => !lines.has(line));
  return [...problems, ...others].sort((one, other) => one.line - other.line);
}

function parserFor(name: string): ((text: string) => ParsedFile) | undefined {
  const base = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  if (/(?:^|\.)env(?:\.[^.]+)?$/.test(base)) return parseDotenv;
  if (base.endsWith(".json")) return parseJsonFile;
  return /\.ya?ml$/.test(base) ? parseYaml : undefined;
}

function parserForStream(text: string): (text: string) => ParsedFile {
  return text.trimStart().startsWith("{") ? parseJsonFile : parseDotenv;
}

function parseJsonFile(text: string): ParsedFile {
  const problem = findJsonProblem(text);
  if (problem !== undefined) return { ok: false, problems: [problem] };
  return { ok: true, value: JSON.parse(text) };
}
