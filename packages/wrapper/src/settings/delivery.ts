import { type Parsed, parseOneOf, refused } from "@svc/settings";

const parseBuiltDelivery = parseOneOf(["auto", "library", "env"]);

/** Parses a way of delivery. Two that are planned are known by name, so that they can say so. */
export function parseDelivery(text: string): Parsed<"auto" | "library" | "env"> {
  if (text === "inject" || text === "preload") {
    return refused("one of auto, library, env", { hint: `${text} is not in this build` });
  }
  return parseBuiltDelivery(text);
}
