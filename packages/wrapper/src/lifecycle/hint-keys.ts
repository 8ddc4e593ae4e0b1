import { type Hint, hintText, parseHint } from "@svc/protocol";
import { hmacSha256 } from "@svc/secret-bytes";

/** The key of one subscription's hints. */
export interface HintKey {
  /** For the operator: lower-case hexadecimal digits. */
  readonly digits: string;
  /** Gives a hint that the key's owner has said, and that has not come before. */
  readonly verify: (value: string) => Hint | undefined;
}

const KEY_BYTES = 32;

/** Makes a random key. It lives in the supervisor, and opens nothing but hints. */
export function newHintKey(): HintKey {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  let last = -1;
  return {
    digits: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    verify: (value) => {
      const unverified = parseHint(value);
      if (unverified === undefined) return undefined;
      const { hint, mac } = unverified;
      if (!isEqual(hmacSha256(bytes, [hintText(hint)]), mac)) return undefined;
      if (hint.sequence <= last) return undefined;
      last = hint.sequence;
      return hint;
    },
  };
}

/** In a time that does not tell how much of it is right. */
function isEqual(wanted: string, found: string): boolean {
  let difference = wanted.length ^ found.length;
  for (let at = 0; at < wanted.length; at += 1) {
    difference |= wanted.charCodeAt(at) ^ found.charCodeAt(at);
  }
  return difference === 0;
}
