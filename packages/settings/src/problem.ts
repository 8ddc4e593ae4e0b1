import { everyRefusal, type Refused } from "./parsed.ts";
import { printable, quoted } from "./quoted.ts";

/** One thing that is wrong with the settings. */
export interface Problem {
  /** The variable, or the flag if no variable stands behind it. */
  readonly variable: string;
  /** The accepted texts, in words after "must be". */
  readonly wanted: string;
  /** The found text: `got "…"`, or words. */
  readonly found: string;
  /** The whole line: `SVC_ROTATION: must be one of restart, sighup, none: got "retsart"`. */
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

/** The parts of a problem. */
export interface ProblemParts {
  readonly variable: string;
  /** How the message names the place of the value. Default: the variable. */
  readonly label?: string;
  readonly wanted: string;
  readonly found: string;
  readonly hint?: string | undefined;
}

/** Builds a problem with its message. Neither it nor the hint can disturb a terminal or a log. */
export function problem({ variable, label, wanted, found, hint }: ProblemParts): Problem {
  const message = printable(`${label ?? variable}: must be ${wanted}: ${found}`);
  const advice = hint === undefined ? {} : { hint: printable(hint) };
  return { variable, wanted, found, message, ...advice };
}

/** The source of a refused text. */
export interface RefusedSource {
  readonly variable: string;
  readonly label: string;
  readonly text: string;
  /** True when nothing of the text may be shown. */
  readonly secret: boolean;
}

/** The problems that a refusal stands for. */
export function problemsOf(refusal: Refused, source: RefusedSource): readonly Problem[] {
  const { variable, label, text, secret } = source;
  return everyRefusal(refusal).map(({ wanted, got, found, hint }) =>
    secret
      ? problem({ variable, label, wanted, found: "the value given is not (it is not shown)" })
      : problem({ variable, label, wanted, found: found ?? `got ${quoted(got ?? text)}`, hint }),
  );
}
