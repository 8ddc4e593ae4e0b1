import { VaultError } from "../errors/vault-error.ts";

/** A path below `/v1/` that was checked once and can be put into a URL as it is. */
export interface SecretPath {
  /** As given, without a leading slash: for messages. */
  readonly text: string;
  readonly segments: readonly string[];
  /** Each segment percent-encoded. */
  readonly encoded: string;
}

const plainPath = /^[\w-]+(?:\/[\w-]+)*$/;

/**
 * Checks a vault path. A leading slash is dropped; nothing else is changed.
 *
 * @throws VaultError `INVALID_INPUT` for an empty path or segment, control characters,
 * and text that is not well-formed Unicode. Also for `.` and `..`: the URL parser would resolve
 * them, and the policy would be asked about another path.
 */
export function parseSecretPath(input: string): SecretPath {
  const text = input.startsWith("/") ? input.slice(1) : input;
  const segments = text.split("/");
  // Most paths: nothing to refuse, and nothing to encode.
  if (plainPath.test(text)) return { text, segments, encoded: text };
  const problem = text === "" ? "empty" : segments.map(segmentProblem).find((found) => found);
  if (problem !== undefined) {
    throw new VaultError("INVALID_INPUT", `parse path ${JSON.stringify(input)}: ${problem}`, {
      path: text,
      hint: "write the path as <mount>/data/<path>",
    });
  }
  return { text, segments, encoded: segments.map(encodeURIComponent).join("/") };
}

/**
 * The metadata path of a KV v2 data path: its `data` segment, which has a mount before it and a
 * path behind it, becomes `metadata`. Undefined if there is none, or if there are several: the
 * path alone does not tell whether `app/data/data/x` is `data/x` in `app` or `x` in `app/data`.
 */
export function metadataPathOf(path: SecretPath): SecretPath | undefined {
  if (!hasMetadataPath(path.text)) return undefined;
  return parseSecretPath(path.text.replace("/data/", "/metadata/"));
}

/** Whether `metadataPathOf` knows one for a path, which is not checked here. */
export function hasMetadataPath(text: string): boolean {
  const at = text.indexOf("/data/", 1);
  return at > 0 && at + "/data/".length < text.length && !text.includes("/data/", at + 1);
}

/** Where a KV v2 secret is. */
export interface KvPlace {
  /** For example `secret`. */
  readonly mount: string;
  /** Its path below the mount. */
  readonly name: string;
}

/** The place that a data path names; undefined for a text without a `metadataPathOf`. */
export function kvPlaceOf(dataPath: string): KvPlace | undefined {
  if (!hasMetadataPath(dataPath)) return undefined;
  try {
    const { text } = parseSecretPath(dataPath);
    const at = text.indexOf("/data/", 1);
    return at < 1
      ? undefined
      : { mount: text.slice(0, at), name: text.slice(at + "/data/".length) };
  } catch {
    return undefined;
  }
}

/** The probable correction of a KV v2 path without `/data/`: most mounts are one segment long. */
export function withDataSegment(path: SecretPath): string {
  const [mount = "", ...rest] = path.segments;
  const below = rest[0] === "metadata" ? rest.slice(1) : rest;
  return [mount, "data", ...below].join("/");
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "empty segment";
  if (segment === "." || segment === "..") return `segment "${segment}" is not allowed`;
  if (!segment.isWellFormed()) return "not well-formed Unicode";
  if (/\p{Cc}/u.test(segment)) return "control character";
  return undefined;
}
