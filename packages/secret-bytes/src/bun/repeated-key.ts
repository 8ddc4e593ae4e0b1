const QUOTE = 0x22;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BACKSLASH = 0x5c;

/**
 * Whether an object in a text names a key twice (RFC 8259 section 4). JSON.parse takes the last
 * one, other readers the first, so that two of them would deliver different secrets. Pure.
 *
 * @param text must be JSON; JSON.parse has taken it.
 */
export function hasRepeatedKey(text: string): boolean {
  /** The keys of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case BRACE_OPEN:
        open.push(new Set());
        break;
      case BRACKET_OPEN:
        open.push(undefined);
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        open.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (keys !== undefined && isKey(text, end) && !added(keys, text, at, end)) return true;
        at = end;
        break;
      }
    }
  }
  return false;
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  let end = start;
  do end = text.indexOf('"', end + 1);
  while (isEscaped(text, end));
  return end;
}

/** An odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** A string in an object that a colon follows. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (" \t\r\n".includes(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** False if the object has the key already. */
function added(keys: Set<string>, text: string, start: number, end: number): boolean {
  const key = String(JSON.parse(text.slice(start, end + 1)));
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}
