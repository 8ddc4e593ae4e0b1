import { statSync } from "node:fs";
import { basename } from "node:path";
import { parseSecretsFile, type SecretsByPath } from "@svc/devstore";
import { CliError } from "./errors.ts";

/**
 * Reads a secrets file (`.env`, JSON or YAML), standard input for `-`, or a pipe (`<(command)`).
 *
 * @throws CliError with every problem and its line; no value is repeated.
 */
export async function readSecretsFile(file: string, named: boolean): Promise<SecretsByPath> {
  const bytes = await readBytes(file, named);
  const parsed = parseSecretsFile(isStream(file) ? "-" : basename(file), bytes);
  if (parsed.ok) return parsed.secrets;
  const [first, ...rest] = parsed.problems.map(
    ({ line, message }) => `${file}:${line}: ${message}`,
  );
  throw new CliError("SECRETS_FILE_INVALID", [first ?? `${file}: not readable`, ...rest]);
}

/** True for standard input, pipes and the like: their names tell no format. */
function isStream(file: string): boolean {
  return file === "-" || statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

async function readBytes(file: string, named: boolean): Promise<Uint8Array> {
  try {
    return await (file === "-" ? Bun.stdin : Bun.file(file)).bytes();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    const absent = code === "ENOENT" && !named;
    throw new CliError(
      absent ? "SECRETS_FILE_MISSING" : "SECRETS_FILE_INVALID",
      [`read secrets file "${file}": ${code}`],
      error,
    );
  }
}
