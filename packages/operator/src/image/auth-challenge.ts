/** One way of authenticating that a server offers. */
export interface AuthChallenge {
  /** In lower case: `basic`, `bearer`. */
  readonly scheme: string;
  /** By name in lower case; the first of two with the same name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Longer headers are not read: no registry needs that length. */
const LONGEST_HEADER = 8192;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const separators = /[ \t,]*/y;
// Some registries send a URL or a scope without quotes, which RFC 9110 does not allow.
const BARE = String.raw`[^\s",]+(?:,(?:pull|push|delete|\*)(?=[\s,]|$))*`;
const parameter = new RegExp(
  String.raw`(${TOKEN})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(${BARE}))`,
  "y",
);
// A name before "=" that is not a parameter has a value that cannot be read.
const schemeName = new RegExp(String.raw`${TOKEN}(?=[ \t,]|$)(?![ \t]*=)`, "y");
const unreadable = /[^,]+/y;
const token68 = /[ \t]+[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y;

/**
 * Reads a WWW-Authenticate header, which may hold several challenges (RFC 9110 §11.6.1), also of
 * several headers. A part that cannot be read is passed over, up to the next comma.
 */
export function parseAuthChallenges(header: string | null): readonly AuthChallenge[] {
  const text = header ?? "";
  if (text.length > LONGEST_HEADER) return [];
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  for (let at = end(separators, text, 0); at < text.length; at = end(separators, text, at)) {
    const current = challenges.at(-1);
    const [pair, name = "", quoted, plain = ""] = matchAt(parameter, text, at) ?? [];
    if (pair !== undefined && current !== undefined) {
      const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
      if (!Object.hasOwn(current.parameters, name.toLowerCase())) {
        current.parameters[name.toLowerCase()] = value;
      }
      at += pair.length;
      continue;
    }
    const scheme = pair === undefined ? matchAt(schemeName, text, at)?.[0] : undefined;
    if (scheme === undefined) {
      at = end(unreadable, text, at);
      continue;
    }
    challenges.push({ scheme: scheme.toLowerCase(), parameters: Object.create(null) });
    at = end(token68, text, at + scheme.length);
  }
  return challenges;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function end(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}
