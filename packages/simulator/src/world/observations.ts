import type { Description } from "../machine/descriptions.ts";
import type { Process } from "../machine/process.ts";
import type { Observed } from "./model-program.ts";

/** A program that the wrapper has started. */
export interface Start extends Observed {
  readonly atUs: number;
  /** The vault's newest version then. */
  readonly newest: number;
  readonly found: Found;
  /** Set once it was replaced with a permit, or without an answer for ten minutes. */
  hadPermit?: boolean;
  /** The agent knew of it then. */
  readonly isRegistered: boolean;
}

/** The surroundings that a program finds at its start. */
export interface Found {
  readonly words: readonly string[];
  readonly ignored: readonly number[];
  readonly blocked: readonly number[];
  readonly fds: readonly number[];
  readonly descriptorLimit: number;
  readonly isSubreaper: boolean;
  /** The signal that it gets when its parent ends; 0 if it gets none. */
  readonly parentDeathSignal: number;
}

/** The surroundings of a process that has just executed its program. */
export function surroundingsOf(process: Process): Found {
  const sorted = (numbers: Iterable<number>) => [...numbers].sort((one, other) => one - other);
  return {
    words: process.argv.map((word) => new TextDecoder().decode(word)),
    ignored: sorted(process.ignored),
    blocked: sorted(process.blocked),
    fds: process.descriptors.filter((fd) => fd > LAST_STANDARD_FD),
    descriptorLimit: process.descriptorLimit,
    isSubreaper: process.isSubreaper,
    parentDeathSignal: process.parentDeathSignal,
  };
}

const LAST_STANDARD_FD = 2;

/** A request to the vault. */
export interface Asked {
  readonly atUs: number;
  readonly method: string;
  readonly path: string;
  readonly token: string;
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
