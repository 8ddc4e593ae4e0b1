import { isTerminal } from "@svc/kernel";
import type { SignalSource } from "../signal-source.ts";
import { type CommandOutput, standardOutput } from "../write-output.ts";
import { followCaller } from "./holder.ts";
import { protectProcess } from "./protect-process.ts";

/** The process that a command runs in. */
export interface Surroundings {
  readonly environment: ReadonlyMap<string, string>;
  readonly output: CommandOutput;
  /** Undefined if standard output is not a terminal. */
  readonly terminal: { readonly columns: () => number } | undefined;
  /** Opens standard input. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly signals: SignalSource;
  /** Keeps the process from giving away the keys that it is about to hold; gives a warning. */
  readonly protect: () => string | undefined;
}

const STDOUT = 1;

/** This process. */
export function ownProcess(environment: ReadonlyMap<string, string>): Surroundings {
  const terminal = { columns: () => process.stdout.columns || 80 };
  return {
    ...{ environment, output: standardOutput, signals: process },
    terminal: isTerminal(STDOUT) ? terminal : undefined,
    stdin: () => Bun.stdin.stream(),
    protect: () => {
      followCaller();
      return protectProcess();
    },
  };
}
