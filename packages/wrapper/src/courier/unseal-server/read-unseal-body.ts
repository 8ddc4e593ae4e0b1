import type { SecretBytes, SecretJson } from "@svc/secret-bytes";
import { Secret } from "@svc/vault";

/** Longest token that is taken. */
export const MAX_TOKEN_CHARACTERS = 4096;

export type UnsealBody =
  | { readonly kind: "token"; readonly token: Secret }
  /** All problems. No text repeats a possible token. */
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** Pure: reads `{"token":"…"}`. The token stays closed. */
export function readUnsealBody(bytes: SecretBytes): UnsealBody {
  const body = bytes.parseJson();
  if (body === "not JSON") return refused("body: must be JSON in UTF-8");
  if (body === "repeated key") return refused("body: must not name a member twice");
  if (body.kind !== "object") return refused("body: must be a JSON object");
  const others = body.keys().filter((name) => name !== "token");
  const member = body.member("token");
  const problems = [
    ...others.map((name) => `${sayName(name)}: is not known: only token is`),
    ...tokenProblems(member),
  ];
  return member === undefined || problems.length > 0
    ? { kind: "problems", problems }
    : { kind: "token", token: new Secret(member.bytes()) };
}

function refused(problem: string): UnsealBody {
  return { kind: "problems", problems: [problem] };
}

function tokenProblems(member: SecretJson | undefined): readonly string[] {
  if (member === undefined) return ["token: is missing"];
  if (member.kind !== "string") return ["token: must be a text"];
  const token = member.bytes();
  if (token.length === 0) return ["token: is empty"];
  if (token.firstInvisible() !== -1) return ["token: must be visible ASCII without blanks"];
  if (token.length <= MAX_TOKEN_CHARACTERS) return [];
  return [`token: has ${token.length} characters: at most ${MAX_TOKEN_CHARACTERS}`];
}

/** The message repeats a name only if it cannot be a misplaced token. */
function sayName(name: string): string {
  return /^[A-Za-z_]{1,20}$/.test(name) ? name : "a member with an odd name";
}
