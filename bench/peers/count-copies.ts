/** How often each text was found, and in how much. */
export interface Copies {
  readonly value: number;
  readonly token: number;
  /** The bytes that could be read: a search in nothing finds nothing, too. */
  readonly bytes: number;
}

/** Nothing found, nothing searched. */
export const noCopies: Copies = { value: 0, token: 0, bytes: 0 };

/** The two texts that are looked for. */
export interface Canaries {
  readonly value: string;
  readonly token: string;
}

/** How often each of the texts is in the pieces; a copy across two pieces is not found. */
export function countCopies(pieces: Iterable<Buffer>, { value, token }: Canaries): Copies {
  let copies = noCopies;
  for (const piece of pieces) {
    copies = addCopies(copies, {
      value: occurrences(piece, value),
      token: occurrences(piece, token),
      bytes: piece.length,
    });
  }
  return copies;
}

/** The sums. */
export function addCopies(one: Copies, other: Copies): Copies {
  return {
    value: one.value + other.value,
    token: one.token + other.token,
    bytes: one.bytes + other.bytes,
  };
}

function occurrences(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length))
    count += 1;
  return count;
}
