import { closest } from "./closest.ts";
import { accepted, type Parser, refused } from "./parsed.ts";

/** A parser for one word out of a closed list; a near miss gets a "did you mean". */
export function parseOneOf<const Choice extends string>(
  choices: readonly Choice[],
): Parser<Choice> {
  const wanted = `one of ${choices.join(", ")}`;
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return accepted(choice);
    const near = closest(text, choices);
    return refused(wanted, near === undefined ? {} : { hint: `did you mean ${near}?` });
  };
}
