import { accepted, type Parsed, refused } from "./parsed.ts";
import { hasPlainSegments, withoutOuterSlashes } from "./path-segments.ts";

/** Parses the mount of an auth method; `auth/` in front and slashes around it fall away. */
export function parseAuthPath(text: string): Parsed<string> {
  const mount = withoutOuterSlashes(withoutOuterSlashes(text).replace(/^auth\/+/, ""));
  return hasPlainSegments(mount)
    ? accepted(mount)
    : refused("the path of an auth method, such as kubernetes or auth/kubernetes");
}
