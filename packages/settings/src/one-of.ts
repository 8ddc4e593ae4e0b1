import { closest } from "./closest.ts";
import { accepted, type Parser, refused } from "./parsed.ts";

/** A parser that knows the words that it accepts. */
export type ChoiceParser<Choice extends string> = Parser<Choice> & {
  readonly choices: readonly Choice[];
};

/** A parser for one word out of a closed list; a near miss gets a "did you mean". */
export function parseOneOf<const Choice extends string>(
  choices: readonly Choice[],
): ChoiceParser<Choice> {
  const wanted = `one of ${choices.join(", ")}`;
  const parse: Parser<Choice> = (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return accepted(choice);
    const near = closest(text, choices);
    return refused(wanted, near === undefined ? {} : { hint: `did you mean ${near}?` });
  };
  return Object.assign(parse, { choices });
}

/** The words that a parser accepts; undefined for one that accepts other texts. */
export function choicesOf(parse: Parser<unknown> | undefined): readonly string[] | undefined {
  return parse !== undefined && "choices" in parse && Array.isArray(parse.choices)
    ? parse.choices
    : undefined;
}
