import { accepted, type Parsed, type Parser, parseList, parseWords, refused } from "@svc/settings";
import { parseContainerName, parseObjectName } from "../annotations/parse-names.ts";
import type { Quantities } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";

/** A parser that takes a text as it is if it passes. */
export function checked(passes: (text: string) => boolean, wanted: string): Parser<string> {
  return (text) => (passes(text) ? accepted(text) : refused(wanted));
}

/** Where an API server is. */
export interface ApiServerPlace {
  readonly host: string;
  readonly port: string;
}

/** Parses `https://HOST[:PORT]`; without a port it is 443. */
export function parseApiServer(text: string): Parsed<ApiServerPlace> {
  const wanted = "https://HOST or https://HOST:PORT";
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") {
    // It may have a password in it.
    return refused(wanted, { found: "it is not" });
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return refused(wanted);
  return accepted({ host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port || "443" });
}

/** Which SvcConfig. */
export interface ConfigName {
  readonly namespace: string;
  readonly name: string;
}

/** Parses NAMESPACE/NAME. */
export function parseConfigName(text: string): Parsed<ConfigName> {
  const [namespace = "", name = "", ...rest] = text.split("/");
  const isGood = rest.length === 0 && parseObjectName(namespace).ok && parseObjectName(name).ok;
  return isGood ? accepted({ namespace, name }) : refused("NAMESPACE/NAME of a SvcConfig");
}

/** Parses a JSON array with at least one word. */
export function parseCopyCommand(text: string): Parsed<readonly string[]> {
  const wanted =
    'a JSON array of words, such as ["/opt/svc/bin/svc-wrapper","--install","/target"]';
  if (!text.trimStart().startsWith("[")) return refused(wanted);
  const words = parseWords(text);
  if (!words.ok) return words;
  return words.value.length === 0 ? refused(wanted) : accepted(words.value);
}

/** A parser for a whole number within bounds, which are included. */
export function parseCount({
  least,
  most,
}: {
  readonly least: number;
  readonly most: number;
}): Parser<number> {
  return (text) => {
    const number = Number(text);
    const fits = /^\d{1,9}$/.test(text) && number >= least && number <= most;
    return fits ? accepted(number) : refused(`a whole number from ${least} to ${most}`);
  };
}

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const name = new RegExp(`^${label}(?:\\.${label})*$`);

/** Parses a DNS name of a server, without a star. */
export function parseDnsName(text: string): Parsed<string> {
  return text.length <= 253 && name.test(text)
    ? accepted(text)
    : refused("a DNS name, such as svc-operator.svc-system.svc");
}

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

/** Namespaces have the form that containers' names have (RFC 1123 label). */
const parseNames = parseList(parseContainerName);

/** Parses names of namespaces with commas between, or `*` for every one. */
export function parseNamespaces(text: string): Parsed<readonly string[]> {
  if (text === "*") return accepted(["*"]);
  return parseNames(text).ok ? parseNames(text) : refused("names of namespaces, or * for all");
}

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

const parseSidecarNames = parseList(parseContainerName);

/** Parses names of containers with commas between, or `none`. */
export function parseSidecars(text: string): Parsed<readonly string[]> {
  return text === "none" ? accepted([]) : parseSidecarNames(text);
}

/** Parses the number of a user who is not root; `none` is undefined. */
export function parseUser(text: string): Parsed<number | undefined> {
  if (text === "none") return accepted(undefined);
  const user = Number(text);
  return /^[1-9]\d{0,9}$/.test(text) && user <= 2_147_483_647
    ? accepted(user)
    : refused("the number of a user from 1 to 2147483647, or none");
}
