import { type EnvironmentEntry, findProgram, valueBytes } from "@svc/kernel";
import { failure, WrapperError } from "../errors.ts";
import type { ProgramSettings } from "../settings.ts";

/** A program that exists and may be executed. */
export interface LocatedProgram {
  readonly path: Uint8Array;
  /** argv, as it was given. */
  readonly words: readonly Uint8Array[];
}

/**
 * Finds the program before the vault is asked, so that a typing error costs no login.
 *
 * @throws WrapperError `PROGRAM_NOT_FOUND` (127) or `PROGRAM_NOT_EXECUTABLE` (126).
 */
export function locateProgram(
  program: ProgramSettings,
  wordsAfterDashes: readonly Uint8Array[],
  environment: readonly EnvironmentEntry[],
): LocatedProgram {
  const words =
    program.kind === "arguments"
      ? wordsAfterDashes
      : program.words.map((word) => new TextEncoder().encode(word));
  const name = words[0] ?? new Uint8Array(0);
  const path = environment.find((entry) => entry.name === "PATH");
  const found = findProgram(name, path && valueBytes(path));
  const shown = JSON.stringify(new TextDecoder().decode(name));
  switch (found.kind) {
    case "found":
      return { path: found.path, words };
    case "not executable":
      throw new WrapperError([
        failure("PROGRAM_NOT_EXECUTABLE", `start ${shown}: not an executable file`),
      ]);
    case "not found":
      throw new WrapperError([failure("PROGRAM_NOT_FOUND", `start ${shown}: no such program`)]);
  }
}
