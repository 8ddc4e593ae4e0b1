import {
  accepted,
  joinRefusals,
  type Parsed,
  type Parser,
  type Refused,
  refused,
} from "./parsed.ts";

/** A parser for items between commas; white space around an item does not count. */
export function parseList<T>(parseItem: Parser<T>): Parser<readonly T[]> {
  return (text) => {
    const values: T[] = [];
    const refusals: Refused[] = [];
    text.split(",").forEach((given, index) => {
      const item = given.trim();
      const parsed = parseListItem(item, parseItem);
      if (parsed.ok) values.push(parsed.value);
      else refusals.push(placed(parsed, { index, item }));
    });
    return joinRefusals(refusals) ?? accepted(values);
  };
}

function parseListItem<T>(item: string, parseItem: Parser<T>): Parsed<T> {
  if (item !== "") return parseItem(item);
  return refused("a list without empty items", { found: "nothing stands between two commas" });
}

function placed(refusal: Refused, place: { index: number; item: string }): Refused {
  return {
    ...refusal,
    wanted: `${refusal.wanted} (item ${place.index + 1})`,
    got: refusal.got ?? place.item,
  };
}
