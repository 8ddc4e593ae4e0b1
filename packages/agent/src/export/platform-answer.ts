import type { PlatformHeaders } from "./platform-headers.ts";

/** A server's answer as the log shows it. */
export interface PlatformAnswer {
  /** The status of HTTP, or the code of gRPC. */
  readonly status: number | string;
  readonly contentType: string;
  /** Its beginning, in printable ASCII; empty if it has no body. */
  readonly excerpt: string;
}

const MOST_CHARACTERS = 200;
const MOST_TYPE_CHARACTERS = 80;
/** Shorter values are words of ordinary text. */
const LEAST_SECRET = 4;
/** A server may cut a value off: this much of its beginning tells it. */
const TELLING = 8;
const REMOVED = "[a header]";

/**
 * An answer for the log. A server or a proxy may quote the request, so values of its headers are
 * taken out: they are secrets.
 */
export function platformAnswer(
  answer: { readonly status: number | string; readonly contentType: string | null },
  body: Uint8Array | string,
  headers: PlatformHeaders,
): PlatformAnswer {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return {
    status: answer.status,
    contentType: excerptOf(answer.contentType ?? "none", headers, MOST_TYPE_CHARACTERS),
    excerpt: excerptOf(text, headers),
  };
}

/** The beginning of a server's text in printable ASCII, without the values of headers. */
export function excerptOf(
  text: string,
  headers: PlatformHeaders,
  most: number = MOST_CHARACTERS,
): string {
  const whole = escaped(withoutValues(text, headers).replace(/\s+/g, " ").trim());
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}

/** Each form in which a page may quote a value; the longest first, for one may contain another. */
function withoutValues(text: string, headers: PlatformHeaders): string {
  const forms = [...headers.values()].flatMap((value) =>
    [value, ...value.split(/[\s,;=:"]+/)].flatMap(formsOf),
  );
  const known = [...new Set(forms)]
    .filter((form) => form.length >= LEAST_SECRET)
    .sort((a, b) => b.length - a.length);
  return known.reduce((rest, form) => rest.replace(patternOf(form), REMOVED), text);
}

function patternOf(form: string): RegExp {
  const beginning = RegExp.escape(form.slice(0, TELLING));
  return new RegExp(form.length > TELLING ? `${beginning}[^\\s<>]*` : beginning, "g");
}

function formsOf(value: string): readonly string[] {
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const numbered = html.replaceAll('"', "&#34;").replaceAll("'", "&#39;");
  return [
    ...[value, html, numbered, html.replaceAll('"', "&quot;").replaceAll("'", "&#x27;")],
    ...[encodeURIComponent(value), encodeURI(value), JSON.stringify(value).slice(1, -1)],
    ...[Buffer.from(value).toString("base64"), decodedBase64(value)],
  ];
}

/** A server may quote the user and the password of `Authorization: Basic`. */
function decodedBase64(value: string): string {
  const text = Buffer.from(value, "base64").toString();
  return /^[\x20-\x7e]+$/.test(text) ? text : "";
}

/** A log's reader may be a terminal. */
function escaped(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `\\u{${point.toString(16)}}`;
  });
}
