import { cString, type SpawnOptions, signalSet, spawnProcess, stringVector } from "../src/index.ts";

/** Starts a command by spawnProcess, its first word a path, with a PATH only; gives its pid. */
export function spawnCommand(
  words: readonly string[],
  options: Partial<SpawnOptions> = {},
): number {
  return spawnProcess({
    path: words[0] ?? "",
    argv: stringVector(words.map(cString)),
    envp: stringVector([cString("PATH=/usr/bin:/bin")]),
    inheritFds: [],
    blockedSignals: signalSet([]),
    ...options,
  });
}

/** The command that runs a script. */
export function shell(script: string): readonly string[] {
  return ["/bin/sh", "-c", script];
}
