import { accepted, type Parsed, parseList, refused } from "@svc/settings";
import { parseContainerName } from "../annotations/parse-names.ts";

/** Namespaces have the form that containers' names have (RFC 1123 label). */
const parseNames = parseList(parseContainerName);

/** Parses names of namespaces with commas between, or `*` for every one. */
export function parseNamespaces(text: string): Parsed<readonly string[]> {
  if (text === "*") return accepted(["*"]);
  return parseNames(text).ok ? parseNames(text) : refused("names of namespaces, or * for all");
}
