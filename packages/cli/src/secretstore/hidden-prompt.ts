import { hideInput } from "@svc/kernel";
import type { Secret } from "@svc/vault";
import type { InputLines } from "./input-lines.ts";
import type { StopSignals } from "./stop-signals.ts";

const STDIN = 0;

/** How a secret is asked for. */
export interface Question {
  /** Names it in messages, for example `key share`. */
  readonly what: string;
  /** What a terminal shows before the cursor. */
  readonly text: string;
  readonly ask: (text: string) => void;
}

/**
 * Reads a secret from standard input; on a terminal it is asked for, and what is typed is not shown.
 *
 * @returns undefined at the end of the input
 * @throws StopError with the terminal as it was
 */
export async function hiddenPrompt(
  lines: InputLines,
  signals: StopSignals,
  { what, text, ask }: Question,
): Promise<Secret | undefined> {
  using hidden = hideInput(STDIN);
  if (hidden !== undefined) ask(text);
  return await signals.until(lines.next(what));
}
