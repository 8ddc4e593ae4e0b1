import { hideInput } from "@svc/kernel";
import type { Secret } from "@svc/vault";
import type { CommandContext } from "./command-context.ts";

const STDIN = 0;

/** Asks for secrets until it is disposed of. */
export interface HiddenPrompt extends Disposable {
  /**
   * The next secret of standard input; undefined at its end.
   * @param text the text before the cursor on a terminal
   * @throws StopError
   */
  next(text: string): Promise<Secret | undefined>;
}

/**
 * Reads secrets from standard input. On a terminal it prompts for them, and hides all typed text
 * from the first prompt on, also between two prompts and after the last.
 *
 * @param wanted names the secret in messages, for example `key share`
 */
export function hiddenPrompt(
  wanted: string,
  { input, signals, ask }: CommandContext,
): HiddenPrompt {
  const hidden = hideInput(STDIN);
  return {
    next: (text) => {
      if (hidden !== undefined) ask(text);
      return signals.until(input.next(wanted));
    },
    [Symbol.dispose]: () => hidden?.[Symbol.dispose](),
  };
}
