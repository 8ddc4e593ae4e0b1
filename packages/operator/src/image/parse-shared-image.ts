import { isDigest } from "./digest.ts";
import type { FoundImage } from "./found-image.ts";
import { isFields, textIn } from "./json-fields.ts";

/** Reads an image that another replica has written; undefined if it is malformed. */
export function parseSharedImage(text: string): FoundImage | undefined {
  const value = parsedJson(text);
  if (!isFields(value)) return undefined;
  const { entrypoint, command, digest } = value;
  if (!(isWords(entrypoint) && isWords(command))) return undefined;
  if (!(typeof digest === "string" && isDigest(digest))) return undefined;
  const others = ["architecture", "os", "user", "workingDir", "stopSignal"].flatMap((name) => {
    const found = textIn(value, name);
    return found === undefined ? [] : [[name, found]];
  });
  const { ports } = value;
  const known = Array.isArray(ports) && ports.every(Number.isInteger) ? { ports } : {};
  return { entrypoint, command, digest, ...Object.fromEntries(others), ...known };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isWords(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((word: unknown) => typeof word === "string" && !word.includes("\0"))
  );
}
