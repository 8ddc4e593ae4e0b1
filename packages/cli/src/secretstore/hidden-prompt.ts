import { hideInput } from "@svc/kernel";
import type { Secret } from "@svc/vault";
import type { CommandDoor } from "./session.ts";

const STDIN = 0;

/** Asks for secrets until it is disposed of. */
export interface HiddenPrompt extends Disposable {
  /**
   * The next secret of standard input; undefined at its end.
   * @param text what a terminal shows before the cursor
   * @throws StopError
   */
  next(text: string): Promise<Secret | undefined>;
}

/**
 * Reads secrets from standard input. On a terminal they are asked for, and nothing that is typed is shown from the
 * first question on: neither what comes between two of them nor what comes after the last.
 *
 * @param what names a secret in messages, for example `key share`
 */
export function hiddenPrompt(what: string, { input, signals, ask }: CommandDoor): HiddenPrompt {
  const hidden = hideInput(STDIN);
  return {
    next: (text) => {
      if (hidden !== undefined) ask(text);
      return signals.until(input.next(what));
    },
    [Symbol.dispose]: () => hidden?.[Symbol.dispose](),
  };
}
