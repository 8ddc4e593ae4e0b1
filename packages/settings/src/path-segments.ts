import { isPlain } from "./plain-text.ts";

const wordSegments = /^[\w-]+(?:\/[\w-]+)*$/;

/**
 * True for a path whose segments mean themselves when they become part of a URL: none is empty,
 * `.` or `..` (which a server or proxy would resolve to some other path), and none holds a
 * control character, `?` or `#`.
 */
export function hasPlainSegments(path: string): boolean {
  // Most paths, of which there may be hundreds.
  if (wordSegments.test(path)) return true;
  const segments = path.split("/");
  return (
    isPlain(path) &&
    !/[?#]/.test(path) &&
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
