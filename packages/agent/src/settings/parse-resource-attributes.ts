import { accepted, type Parsed, refused } from "@svc/settings";

const wanted = "name=value pairs with commas between, percent-encoded";
const NAME = /^[\x21-\x7e]{1,255}$/;
const MOST_ATTRIBUTES = 64;

/** Attributes of a resource by their names; OpenTelemetry specification, "Resource". */
export type ResourceAttributes = Readonly<Record<string, string>>;

/**
 * Parses OTEL_RESOURCE_ATTRIBUTES: pairs as in the Baggage header (W3C), of which commas and equals
 * signs are percent-encoded. One that is wrong spoils all of it, as the specification has it.
 */
export function parseResourceAttributes(text: string): Parsed<ResourceAttributes> {
  const attributes: Record<string, string> = {};
  for (const pair of text.split(",").filter((piece) => piece.trim() !== "")) {
    const equals = pair.indexOf("=");
    const name = decoded(pair.slice(0, Math.max(equals, 0)).trim());
    const value = decoded(pair.slice(equals + 1).trim());
    if (equals < 0 || name === undefined || value === undefined || !NAME.test(name)) {
      return refused(wanted, { got: pair.trim() });
    }
    attributes[name] = value;
  }
  if (Object.keys(attributes).length > MOST_ATTRIBUTES) {
    return refused(`at most ${MOST_ATTRIBUTES} attributes`);
  }
  return accepted(attributes);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
