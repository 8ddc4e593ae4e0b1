import { accepted, type Parsed, refused } from "@svc/settings";

/** Parses a number of key shares: Shamir's scheme over bytes has at most 255. */
export function parseShareCount(text: string): Parsed<number> {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= 255 ? accepted(count) : refused("a number from 1 to 255");
}
