import { type ElfFacts, readFileHead } from "./elf-file.ts";
import { importsLibrary } from "./go-build-info.ts";
import { raisesPrivileges } from "./privileges.ts";

// BINPRM_MAX_RECURSION of the kernel.
const MAX_SCRIPTS = 5;

/** The facts about a program that choose its delivery method. */
export interface ProgramFacts {
  /** The ELF file that runs in the end: for a script its interpreter. */
  readonly elf: ElfFacts | undefined;
  /** False if the file may be executed and not read: its process is protected from tracing. */
  readonly readable: boolean;
  readonly raisesPrivileges: boolean;
  readonly importsLibrary: boolean;
}

/** Reads the file that will be executed. It never throws. */
export function inspectProgram(path: Uint8Array): ProgramFacts {
  const { runs, head } = behindScripts(path);
  return {
    elf: head.kind === "elf" ? head.facts : undefined,
    readable: head.kind !== "unreadable",
    raisesPrivileges: raisesPrivileges(runs),
    importsLibrary: head.kind === "elf" && importsLibrary(runs),
  };
}

/** The file that runs in the end. */
function behindScripts(path: Uint8Array) {
  let runs = path;
  let head = readFileHead(runs);
  for (let depth = 0; head.kind === "script" && depth < MAX_SCRIPTS; depth += 1) {
    runs = head.interpreter;
    head = readFileHead(runs);
  }
  return { runs, head };
}
