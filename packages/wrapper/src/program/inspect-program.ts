import { type ElfFacts, readFileHead } from "./elf-file.ts";
import { importsLibrary } from "./go-build-info.ts";
import { isLauncher } from "./launchers.ts";
import { raisesPrivileges } from "./privileges.ts";

// BINPRM_MAX_RECURSION of the kernel.
const MAX_SCRIPTS = 5;

/** What the ladder needs to know about a program. */
export interface ProgramFacts {
  /** The ELF file that runs in the end: for a script its interpreter. */
  readonly elf: ElfFacts | undefined;
  /** False where the file may be executed and not read: its process is protected from tracing. */
  readonly readable: boolean;
  readonly raisesPrivileges: boolean;
  readonly importsLibrary: boolean;
  /** It starts, or becomes, the program that is meant. */
  readonly isLauncher: boolean;
}

/** Reads the file that will be executed; `words` is its argv. It never throws. */
export function inspectProgram(path: Uint8Array, words: readonly Uint8Array[]): ProgramFacts {
  const { runs, head, argv: scriptArgv } = behindScripts(path);
  const decoder = new TextDecoder();
  const argv = (scriptArgv ?? words).map((word) => decoder.decode(word));
  const executed = decoder.decode(runs);
  return {
    elf: head.kind === "elf" ? head.facts : undefined,
    readable: head.kind !== "unreadable",
    raisesPrivileges: raisesPrivileges(runs),
    importsLibrary: head.kind === "elf" && importsLibrary(runs),
    isLauncher: isLauncher({ executed, argv }),
  };
}

/** The file that runs in the end; behind a script with the beginning of the argv that it gets. */
function behindScripts(path: Uint8Array) {
  let runs = path;
  let head = readFileHead(runs);
  let argv: readonly Uint8Array[] | undefined;
  for (let depth = 0; head.kind === "script" && depth < MAX_SCRIPTS; depth += 1) {
    runs = head.interpreter;
    argv = [head.interpreter, head.argument];
    head = readFileHead(runs);
  }
  return { runs, head, argv };
}
