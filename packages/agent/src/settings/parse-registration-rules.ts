import { accepted, type Parsed, parseList, refused } from "@svc/settings";

const ROOT = 0;
/** The largest uid_t but one; that one means "no user". */
const MOST_UID = 2 ** 32 - 2;
const unitForm = /^[A-Za-z0-9:_.\\@*-]{1,200}\.service$/;

/** Parses users with commas between them: `root`, or numbers; `none` gives an empty list. */
export function parseRegistrationUsers(text: string): Parsed<readonly number[]> {
  return text === "none" ? accepted([]) : parseList(parseUser)(text);
}

/**
 * Parses names of services with commas between them, in which `*` stands for any characters; `none`
 * gives an empty list.
 */
export function parseRegistrationUnits(text: string): Parsed<readonly string[]> {
  return text === "none" ? accepted([]) : parseList(parseUnit)(text);
}

function parseUser(text: string): Parsed<number> {
  if (text === "root") return accepted(ROOT);
  const uid = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : MOST_UID + 1;
  if (uid <= MOST_UID) return accepted(uid);
  return refused("root, the number of a user such as 1000, or none");
}

function parseUnit(text: string): Parsed<string> {
  if (unitForm.test(text)) return accepted(text);
  return refused("the name of a service such as app.service or svc-wrapper@*.service, or none");
}
