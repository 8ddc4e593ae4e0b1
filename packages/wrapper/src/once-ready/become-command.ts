import {
  cString,
  type EnvironmentEntry,
  execProgram,
  findProgram,
  SyscallError,
  setBlockedSignals,
  stringVector,
  valueBytes,
} from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";

/** Why a command was not started, with the exit status that env(1) has for it. */
export interface NotStarted {
  readonly exitCode: 126 | 127;
  readonly why: string;
}

/** Becomes the command, with the environment as it came. Returns only if it cannot. */
export function becomeCommand(
  words: readonly Uint8Array[],
  environment: readonly EnvironmentEntry[],
): NotStarted {
  const path = environment.find(({ name }) => name === "PATH");
  const found = findProgram(words[0] ?? new Uint8Array(0), path && valueBytes(path));
  switch (found.kind) {
    case "not found":
      return { exitCode: 127, why: "no such program" };
    case "not executable":
      return { exitCode: 126, why: "not an executable file" };
    case "found":
      return execute(found.path, words, environment);
  }
}

function execute(
  path: Uint8Array,
  words: readonly Uint8Array[],
  environment: readonly EnvironmentEntry[],
): NotStarted {
  const argv = stringVector(words.map(cString));
  const envp = stringVector(environment.map(({ address }) => address));
  // The engine has blocked every signal at its first instruction.
  setBlockedSignals(runtime.signalsBlockedAtStart());
  try {
    return execProgram(path, argv, envp);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code !== "ENOENT") return { exitCode: 126, why: error.message };
    return { exitCode: 127, why: `${error.message}: the interpreter that it names is missing` };
  }
}
