import type { Digest } from "./digest.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import { type Fields, isFields, parseFields, textIn } from "./json-fields.ts";

/**
 * Reads an image's configuration (OCI image-spec, config.md; Docker's has the same fields).
 *
 * @param digest of the manifest that it belongs to
 * @throws ImageError `BAD_ANSWER`
 */
export function parseImageConfig(bytes: Uint8Array, digest: Digest, operation: string): FoundImage {
  const body = parseFields(bytes, operation);
  const config = isFields(body["config"]) ? body["config"] : {};
  const architecture = textIn(body, "architecture");
  const os = textIn(body, "os");
  const user = textIn(config, "User");
  const workingDir = textIn(config, "WorkingDir");
  return {
    entrypoint: wordsIn(config, "Entrypoint", operation),
    command: wordsIn(config, "Cmd", operation),
    digest,
    ...(architecture !== undefined && { architecture }),
    ...(os !== undefined && { os }),
    ...(user !== undefined && { user }),
    ...(workingDir !== undefined && { workingDir }),
  };
}

function wordsIn(config: Fields, name: string, operation: string): readonly string[] {
  const value = config[name] ?? [];
  if (
    Array.isArray(value) &&
    value.every((word: unknown) => typeof word === "string" && !word.includes("\0"))
  ) {
    return value.map(String);
  }
  throw new ImageError("BAD_ANSWER", `${operation}: its ${name} is not a list of words`);
}
