import { CliError } from "../errors.ts";

/** Manifests of a whole application fit many times over. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Reads a file, or standard input for `-`.
 * @throws CliError `MANIFEST_INVALID`
 */
export async function readText(file: string): Promise<string> {
  const name = file === "-" ? "standard input" : `"${file}"`;
  try {
    const source = file === "-" ? Bun.stdin : Bun.file(file);
    if (source.size > MOST_BYTES && file !== "-") throw new RangeError("it has more than 32 MiB");
    return await source.text();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    const found = code ?? (error instanceof RangeError ? error.message : "it cannot be read");
    throw new CliError("MANIFEST_INVALID", [`read ${name}: ${found}`]);
  }
}
