import { accepted, type Parsed, parseList } from "@svc/settings";
import { parseContainerName } from "../annotations/parse-names.ts";

const parseNames = parseList(parseContainerName);

/** Parses names of containers with commas between, or `none`. */
export function parseSidecars(text: string): Parsed<readonly string[]> {
  return text === "none" ? accepted([]) : parseNames(text);
}
