import { accepted, type Parsed, refused } from "@svc/settings";

/**
 * Parses the UID of a pod. It becomes a part of a cgroup's path, so it holds no slash and no dot.
 * Most are UUIDs; those of static pods are 32 hexadecimal digits.
 */
export function parsePodUid(text: string): Parsed<string> {
  return /^[A-Za-z0-9-]{1,128}$/.test(text)
    ? accepted(text)
    : refused("the UID of a pod, of letters, digits and -");
}
