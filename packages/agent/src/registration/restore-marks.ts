import { processLives } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { acquireProcess } from "./acquire-process.ts";
import { askingForMarks } from "./asking-for-marks.ts";
import type { KnownRegistration } from "./ledger-text.ts";
import { type MarkedProgram, markProgram } from "./mark-program.ts";
import { type ProcessFacts, readProcess } from "./process-facts.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { Protecting } from "./protect-program.ts";
import { secretRegions } from "./secret-regions.ts";

/** Receives a process that the kernel takes no mark of. */
type OnFault = (process: ProcessIdentity, error: AgentError) => void;

/**
 * Marks the wrappers and programs of earlier agents, before their wrappers come back. The kernel
 * has forgotten them if nothing was pinned. Marks that it still has stay as they are.
 *
 * @param known the ledger's facts, which the registry has as well
 */
export function restoreMarks(
  protecting: Protecting,
  known: readonly KnownRegistration[],
  onFault: OnFault,
): void {
  // A wrapper without its ownership would be reported for its work on its own programs.
  for (const { registration, wrapper } of known) {
    restore(wrapper, onFault, (_, pidfd) => restoreWrapper(protecting, pidfd, registration));
  }
  for (const { registration, processes } of known) {
    for (const noted of processes) {
      restore(noted, onFault, (program, pidfd) => {
        const { bareEnvironment } = noted;
        restoreProgram(protecting, { program, pidfd, registration, bareEnvironment });
      });
    }
  }
}

function restore(
  { pid, startTicks }: ProcessIdentity,
  onFault: OnFault,
  mark: (process: ProcessFacts, pidfd: number) => void,
): void {
  try {
    using acquired = acquireProcess(pid);
    const process = readProcess(pid);
    if (acquired === undefined || process?.startTicks !== startTicks) return;
    if (processLives(acquired.pidfd)) mark(process, acquired.pidfd);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    onFault({ pid, startTicks }, error);
  }
}

/** A mark without ownership is of a wrapper that has executed another program. */
function restoreWrapper({ marks }: Protecting, pidfd: number, registration: bigint): void {
  askingForMarks("a wrapper", () => {
    if (marks.protectedBy(pidfd) === undefined) marks.own(pidfd, registration);
  });
}

function restoreProgram({ marks, registry }: Protecting, marked: MarkedProgram): void {
  const mark = askingForMarks("a process", () => marks.protectedBy(marked.pidfd));
  // A wrapper in it has its own mark, and so have that wrapper's programs.
  if (mark !== undefined) return;
  markProgram(marks, registry, marked);
  marks.keepRegions(secretRegions(marked.program.pid), marked.registration);
}
