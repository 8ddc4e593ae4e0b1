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
  const stopSignal = textIn(config, "StopSignal");
  return {
    entrypoint: entrypointIn(config, operation),
    command: wordsIn(config, "Cmd", operation),
    digest,
    ...(architecture !== undefined && { architecture }),
    ...(os !== undefined && { os }),
    ...(user !== undefined && { user }),
    ...(workingDir !== undefined && { workingDir }),
    ...(stopSignal !== undefined && { stopSignal }),
    ...portsIn(config["ExposedPorts"]),
  };
}

/** More ports of an image are not read. */
const MOST_PORTS = 100;

/** `{"8080/tcp": {}}`, without ranges and other protocols. */
function portsIn(exposed: unknown): { readonly ports?: readonly number[] } {
  const names = isFields(exposed) ? Object.keys(exposed).slice(0, MOST_PORTS) : [];
  const ports = names
    .flatMap((name) => /^(\d{1,5})(?:\/tcp)?$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((port) => port > 0 && port < 65_536);
  return ports.length > 0 ? { ports } : {};
}

/** Docker's way to remove an entrypoint, which containerd's CRI takes for none as well. */
function entrypointIn(config: Fields, operation: string): readonly string[] {
  const words = wordsIn(config, "Entrypoint", operation);
  return words.length === 1 && words[0] === "" ? [] : words;
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
