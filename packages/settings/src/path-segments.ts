import { isPlain } from "./plain-text.ts";

const wordSegments = /^[\w-]+(?:\/[\w-]+)*$/;

/**
 * True for a path whose segments keep their meaning as a part of a URL. No segment is empty, `.` or
 * `..` (which a server or proxy would resolve to another path). None has a control character, `?`
 * or `#`.
 */
export function hasPlainSegments(path: string): boolean {
  return !/[?#]/.test(path) && hasSafeSegments(path);
}

/** The same for a path that is percent-encoded before it becomes a part of a URL. */
export function hasSafeSegments(path: string): boolean {
  // Most paths, of which there may be hundreds.
  if (wordSegments.test(path)) return true;
  const segments = path.split("/");
  return (
    isPlain(path) &&
    segments.every((segment) => segment.trim() !== "" && segment !== "." && segment !== "..")
  );
}

/** The path without the slashes around it. */
export function withoutOuterSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === "/") start += 1;
  while (end > start && path[end - 1] === "/") end -= 1;
  return path.slice(start, end);
}
