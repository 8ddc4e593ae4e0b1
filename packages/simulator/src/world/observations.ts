import type { Description } from "../machine/descriptions.ts";
import type { Observed } from "./model-program.ts";

/** A program that the wrapper has started. */
export interface Start extends Observed {
  readonly atUs: number;
  /** The vault's newest version then. */
  readonly newest: number;
  /** The agent knew of it then. */
  readonly isRegistered: boolean;
}

/** A signal that was sent to the wrapper. */
export interface Sent {
  readonly number: number;
  readonly value: bigint | undefined;
  readonly atUs: number;
}

/** The text that waits in a pipe. */
export function textIn(pipe: Description): string {
  let text = "";
  for (;;) {
    const bytes = pipe.read(1 << 20);
    if (!(bytes instanceof Uint8Array)) return text;
    text += new TextDecoder().decode(bytes);
  }
}
