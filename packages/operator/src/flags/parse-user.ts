import { accepted, type Parsed, refused } from "@svc/settings";

/** Parses the number of a user who is not root; `none` is undefined. */
export function parseUser(text: string): Parsed<number | undefined> {
  if (text === "none") return accepted(undefined);
  const user = Number(text);
  return /^[1-9]\d{0,9}$/.test(text) && user <= 2_147_483_647
    ? accepted(user)
    : refused("the number of a user from 1 to 2147483647, or none");
}
