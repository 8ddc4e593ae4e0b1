import { accepted, type Parsed, refused } from "./parsed.ts";

/** Parses certificates as PEM text. */
export function parseCertificates(text: string): Parsed<string> {
  const begins = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  const ends = text.split("-----END CERTIFICATE-----").length - 1;
  if (begins > 0 && begins === ends && !text.includes("PRIVATE KEY-----")) return accepted(text);
  return refused("certificates as PEM text, -----BEGIN CERTIFICATE----- and so on", {
    found: text.includes("PRIVATE KEY-----") ? "it holds a private key" : "it holds none",
  });
}
