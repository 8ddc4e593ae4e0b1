import { CliError } from "../errors.ts";
import type { CommandOutput } from "../write-output.ts";

/** The end of a command. */
export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  /** With the code and the problems of a CliError, which `main` prints. */
  readonly err: string;
}

/** Runs a command, and keeps its output. */
export async function runCaptured(
  command: (output: CommandOutput) => Promise<number>,
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const output = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  };
  const exitCode = await command(output).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    err.push(`${error.code}: ${error.problems.join("\n")}`);
    return 125;
  });
  return { exitCode, out: out.join(""), err: err.join("") };
}
