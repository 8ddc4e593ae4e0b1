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
    return await boundedText((file === "-" ? Bun.stdin : Bun.file(file)).stream());
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    const found = code ?? (error instanceof RangeError ? error.message : "it cannot be read");
    throw new CliError("MANIFEST_INVALID", [`read ${name}: ${found}`]);
  }
}

/** A pipe does not say how long it is. */
async function boundedText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new RangeError("it has more than 32 MiB");
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
