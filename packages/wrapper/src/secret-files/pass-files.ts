import { closeDescriptor, createPlainMemory, duplicateFrom, sealFile } from "@svc/kernel";
import { type Failure, WrapperError } from "../errors.ts";
import type { FileEntry } from "./file-entry.ts";
import { makeFilled } from "./fill-file.ts";
import type { PassedFile } from "./passed-file.ts";

// Scripts use single digits, bash keeps its script at 255, and other shells a free one from 10 on.
const FIRST_PASSED_FD = 100;

/**
 * Makes a sealed file without a name of each entry, for the program to inherit. Its path is that of
 * the descriptor: each process that inherits it opens its own.
 *
 * @throws WrapperError with every file that could not be made.
 */
export function makePassedFiles(entries: readonly FileEntry[]): readonly PassedFile[] {
  const passed: PassedFile[] = [];
  const failures: Failure[] = [];
  for (const { file, value } of entries) {
    const made = makeFilled(file, value, () => createPlainMemory("svc-file").fd);
    if (made.kind === "failed") failures.push(made.failure);
    else {
      sealFile(made.fd);
      const fd = duplicateFrom(made.fd, FIRST_PASSED_FD);
      closeDescriptor(made.fd);
      const { variable = "" } = file;
      passed.push({ fd, variable, path: `/proc/self/fd/${fd}` });
    }
  }
  const [first, ...rest] = failures;
  if (first !== undefined) throw new WrapperError([first, ...rest]);
  return passed;
}
