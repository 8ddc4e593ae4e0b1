import { accepted, type Parsed, refused } from "@svc/settings";
import type { Quantities } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";
import { parseMap } from "./parse-map.ts";

const NONE = "none";
const parseEntries = parseMap(
  (text) =>
    /^[a-z][a-z0-9./-]{0,62}$/.test(text) ? accepted(text) : refused("a resource, such as memory"),
  (text) => (quantityOf(text) === undefined ? refused("a quantity, such as 64Mi") : accepted(text)),
);

/** Parses `cpu=10m,memory=32Mi`, or `none`. */
export function parseQuantities(text: string): Parsed<Quantities> {
  if (text === NONE) return accepted({});
  const entries = parseEntries(text);
  return entries.ok ? accepted(Object.fromEntries(entries.value)) : entries;
}

/** The text that stands for quantities. */
export function quantitiesText(quantities: Quantities): string {
  const items = Object.entries(quantities).map(([name, quantity]) => `${name}=${quantity}`);
  return items.length === 0 ? NONE : items.join(",");
}
