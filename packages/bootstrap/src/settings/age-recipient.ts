import { bech32 } from "@scure/base";
import { accepted, type Parsed, refused } from "@svc/settings";

/** The recipients that need no plugin, and how many bytes are in each. */
const kinds: ReadonlyMap<string, number> = new Map([
  ["age", 32],
  ["age1pq", 1216],
  ["age1tag", 33],
  ["age1tagpq", 1249],
]);

const BITS_OF_WORD = 5;
const wanted = "an age recipient, age1…";
const toRecipient = "age-keygen -y FILE prints the recipient of an identity";
/** Another text may be the wrong half of a key, or a password. */
const unshown = "the given text has another form (it is not shown)";

/** Parses a recipient of age: to a key of X25519 or post-quantum, or to a hardware key's tag. */
export function parseAgeRecipient(text: string): Parsed<string> {
  if (/age-(?:secret-key|plugin)-/i.test(text)) {
    const found = "it is an identity, which is secret (it is not shown)";
    return refused(wanted, { found, hint: toRecipient });
  }
  if (/^ssh-|^ecdsa-/.test(text)) {
    return refused(wanted, { found: "it is an SSH key", hint: "age-keygen makes age's own keys" });
  }
  if (!/^age1[a-z0-9]+$/.test(text)) return refused(wanted, { found: unshown });
  // Bech32 of BIP 173, as long as age has it.
  const read = bech32.decodeUnsafe(text, false);
  if (read === undefined) return refused(`${wanted} without a mistake in it`);
  const length = kinds.get(read.prefix);
  if (length === undefined) {
    const found = `it is one of the plugin "${read.prefix.slice("age1".length)}"`;
    return refused("an age recipient that needs no plugin", { found });
  }
  const byteLength = Math.floor((read.words.length * BITS_OF_WORD) / 8);
  return byteLength === length ? accepted(text) : refused(wanted);
}
