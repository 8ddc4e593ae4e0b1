import { Secret } from "@svc/vault";

/** Longest token that is taken. */
export const MAX_TOKEN_CHARACTERS = 4096;

export type UnsealBody =
  | { readonly kind: "token"; readonly token: Secret }
  /** Everything that is wrong. No text repeats what may be a token. */
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** Pure: reads `{"token":"…"}`. */
export function readUnsealBody(bytes: Uint8Array): UnsealBody {
  const value = parseJson(bytes);
  if (value === undefined) return { kind: "problems", problems: ["body: must be JSON in UTF-8"] };
  if (!isObject(value)) return { kind: "problems", problems: ["body: must be a JSON object"] };
  const { token, ...rest } = value;
  const problems = [
    ...Object.keys(rest).map((name) => `${sayName(name)}: is not known: only token is`),
    ...tokenProblems(token),
  ];
  return problems.length === 0 && typeof token === "string"
    ? { kind: "token", token: new Secret(token) }
    : { kind: "problems", problems };
}

/** The parser's own error is dropped: it quotes the text. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokenProblems(token: unknown): readonly string[] {
  if (token === undefined) return ["token: is missing"];
  if (typeof token !== "string") return ["token: must be a text"];
  if (token === "") return ["token: is empty"];
  if (token.length > MAX_TOKEN_CHARACTERS) {
    return [`token: has ${token.length} characters: at most ${MAX_TOKEN_CHARACTERS}`];
  }
  return /^[\x21-\x7e]+$/.test(token) ? [] : ["token: must be visible ASCII without blanks"];
}

/** A name is repeated only where it cannot be a token that somebody put in the wrong place. */
function sayName(name: string): string {
  return /^[A-Za-z_]{1,20}$/.test(name) ? name : "a member with an odd name";
}
