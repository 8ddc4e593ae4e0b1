/**
 * The values for testdata/reads-generations.c: one letter for each generation, of lengths that
 * change.
 */
import { closed, type SecretEntry } from "@svc/wrapper/testdata";

const LETTERS = 26;
const VALUE_BYTES = 4000;

/** In the order of the region: the length of the first moves the second. */
export const variables: readonly string[] = ["OTHER", "LETTERS"];

/** The letter of a generation. */
export function letterOf(generation: number): string {
  return String.fromCharCode("A".charCodeAt(0) + (generation % LETTERS));
}

/** The values of a generation. */
export function entriesOf(generation: number): readonly SecretEntry[] {
  const letter = letterOf(generation);
  const path = "secret/data/letters";
  return [
    { variable: "OTHER", value: closed(letter.repeat(1 + ((generation * 7) % 100))), path },
    {
      variable: "LETTERS",
      value: closed(letter.repeat(VALUE_BYTES + ((generation * 13) % 200))),
      path,
    },
  ];
}
