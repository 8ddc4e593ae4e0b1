import { accepted, type Parsed, refused } from "./parsed.ts";
import { hasPlainSegments, withoutOuterSlashes } from "./path-segments.ts";

/** Parses a namespace of the vault. It travels in a header, so it is ASCII. */
export function parseVaultNamespace(text: string): Parsed<string> {
  const namespace = withoutOuterSlashes(text);
  return hasPlainSegments(namespace) && /^[!-~]+$/.test(namespace)
    ? accepted(namespace)
    : refused("a namespace of the vault, such as team or team/project");
}
