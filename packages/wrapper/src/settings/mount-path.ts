import {
  accepted,
  hasPlainSegments,
  type Parsed,
  refused,
  withoutOuterSlashes,
} from "@svc/settings";

/** Parses the mount of an auth method; `auth/` in front and slashes around it fall away. */
export function parseMountPath(text: string): Parsed<string> {
  const mount = withoutOuterSlashes(withoutOuterSlashes(text).replace(/^auth\/+/, ""));
  return hasPlainSegments(mount)
    ? accepted(mount)
    : refused("the path of an auth method, such as kubernetes or auth/kubernetes");
}

/** Parses a namespace of the vault. It travels in a header, so it is ASCII. */
export function parseNamespace(text: string): Parsed<string> {
  const namespace = withoutOuterSlashes(text);
  return hasPlainSegments(namespace) && /^[!-~]+$/.test(namespace)
    ? accepted(namespace)
    : refused("a namespace of the vault, such as team or team/project");
}
