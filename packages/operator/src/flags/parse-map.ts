import { accepted, type Parsed, type Parser, parseList, refused } from "@svc/settings";

/** One `KEY=VALUE`. */
export type MapEntry<T> = readonly [key: string, value: T];

/** A parser for `KEY=VALUE` with commas between; a key may be there several times. */
export function parseMap<T>(
  parseKey: Parser<string>,
  parseValue: Parser<T>,
): Parser<readonly MapEntry<T>[]> {
  return parseList((item) => parseEntry(item, parseKey, parseValue));
}

function parseEntry<T>(
  item: string,
  parseKey: Parser<string>,
  parseValue: Parser<T>,
): Parsed<MapEntry<T>> {
  const equals = item.indexOf("=");
  if (equals < 1) return refused("KEY=VALUE");
  const key = parseKey(item.slice(0, equals));
  if (!key.ok) return key;
  const value = parseValue(item.slice(equals + 1));
  return value.ok ? accepted([key.value, value.value]) : value;
}
