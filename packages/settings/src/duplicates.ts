import { type Refused, refused } from "./parsed.ts";

/** Where a text names a variable. */
export interface NamedPlace {
  readonly variable: string;
  /** As it reads in a message, for example "mapping 2 of group 1". */
  readonly place: string;
}

/** A refusal for each variable that is named more than once, with the first and the other place. */
export function findDuplicates(places: readonly NamedPlace[]): readonly Refused[] {
  const firstPlaces = new Map<string, string>();
  const refusals: Refused[] = [];
  for (const { variable, place } of places) {
    const first = firstPlaces.get(variable);
    if (first === undefined) firstPlaces.set(variable, place);
    else {
      const found = `${variable} is in ${first} and in ${place}`;
      refusals.push(refused("a map that names each variable once", { found }));
    }
  }
  return refusals;
}
