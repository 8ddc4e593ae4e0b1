import { accepted, type Parsed, refused } from "@svc/settings";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const name = new RegExp(`^${label}(?:\\.${label})*$`);

/** Parses a DNS name of a server, without a star. */
export function parseDnsName(text: string): Parsed<string> {
  return text.length <= 253 && name.test(text)
    ? accepted(text)
    : refused("a DNS name, such as svc-operator.svc-system.svc");
}
