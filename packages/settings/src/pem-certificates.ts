import { accepted, type Parsed, refused } from "./parsed.ts";

/** Parses the text of certificates in PEM. A refusal repeats nothing of it. */
export function parsePemCertificates(text: string): Parsed<string> {
  if (text.includes("-----BEGIN CERTIFICATE-----")) return accepted(text);
  return refused("the text of a PEM certificate", { found: "it holds none" });
}
