import { findElfSymbol } from "../program/elf-symbol.ts";
import { reachablePath } from "./reachable-path.ts";
import { type MappedFile, mappedFiles } from "./thread-states.ts";

const names: ReadonlySet<string> = new Set(["environ", "__environ", "_environ"]);
/**
 * The place in which glibc and musl define it: in the program itself if it is static, or mentions
 * the variable.
 */
const libraryPattern = /\/(?:libc\.so[^/]*|libc-2[^/]*\.so|ld-musl-[^/]*)$/;

/**
 * The address of a running program's variable `environ`; environ(7). It leads to the slots that
 * getenv reads, which setenv moves to the heap when a variable is added. Undefined if the program
 * has no such variable, or no names any more.
 */
export function environAddress(pid: number): number | undefined {
  const [program, ...libraries] = mappedFiles(pid);
  const candidates = [program, ...libraries.filter(({ path }) => libraryPattern.test(path))];
  for (const file of candidates) {
    const address = file && addressIn(pid, file);
    if (address !== undefined) return address;
  }
  return undefined;
}

function addressIn(pid: number, { path, address }: MappedFile): number | undefined {
  const symbol = findElfSymbol(reachablePath(pid, path), names);
  return symbol && symbol.value + (symbol.absolute ? 0 : address);
}
