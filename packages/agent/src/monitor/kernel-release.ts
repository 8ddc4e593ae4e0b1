/**
 * Whether a kernel is of a version or newer.
 *
 * @param release as `uname -r`
 */
export function isAtLeast(release: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = release.split(".").map((word) => Number.parseInt(word, 10));
  return first > major || (first === major && second >= minor);
}
