import {
  executablePath,
  exitProcess,
  folderOf,
  setBlockedSignals,
  writeIfPossible,
} from "@svc/kernel";
import { printable } from "@svc/settings";
import { runtime } from "../engine/runtime.ts";
import { InstallError, installBundle } from "./install-bundle.ts";
import { mebibytes } from "./install-problem.ts";

/** The wrapper's own failures. */
const FAILED = 125;

/**
 * `svc-wrapper --install FOLDER`, the command of an init container: copies the bundle that this
 * program is in, and ends. It reads no variable.
 *
 * @param words those after `--install`.
 */
export function runInstall(words: readonly Uint8Array[]): never {
  // The engine has blocked every signal at its first instruction, and this takes some time.
  setBlockedSignals(runtime.signalsBlockedAtStart());
  const [word, ...others] = words;
  if (word === undefined || word.length === 0 || others.length > 0) {
    return end(2, "must be followed by a folder, and by nothing else", FAILED);
  }
  try {
    const folder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(word);
    // The bundle has the program in bin.
    const source = folderOf(folderOf(executablePath()));
    const { version, bytes, copied, kept } = installBundle(source, folder);
    const size = mebibytes(bytes);
    const done = `svc ${version} is in ${folder}: ${size}, ${copied} files copied, ${kept} kept`;
    return end(1, done, 0);
  } catch (error) {
    if (error instanceof InstallError) return end(2, error.message, FAILED);
    return end(2, `unexpected ${error instanceof Error ? error.name : typeof error}`, FAILED);
  }
}

function end(fd: number, message: string, exitCode: number): never {
  writeIfPossible(fd, new TextEncoder().encode(`svc-wrapper: --install: ${printable(message)}\n`));
  exitProcess(exitCode);
}
