import { processLives } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { cgroupIdentity } from "../report/cgroup-identity.ts";
import { acquireProcess } from "./acquire-process.ts";
import { askingForMarks } from "./asking-for-marks.ts";
import type { LocalCaller } from "./caller.ts";
import { findDescendant, lineage } from "./find-descendant.ts";
import { knownClaims } from "./known-claims.ts";
import type { NotedProcess } from "./ledger-text.ts";
import { markProgram } from "./mark-program.ts";
import type { Marks } from "./marks.ts";
import { type KnownClaims, nearerClaim } from "./nearer-claim.ts";
import { type ProcessFacts, readProcess } from "./process-facts.ts";
import type { Registry } from "./registry.ts";
import { secretRegions } from "./secret-regions.ts";

/** The interfaces to read from and write to. */
export interface Protecting {
  readonly marks: Marks;
  readonly registry: Registry;
}

/** A program as its wrapper names it. */
export interface ClaimedProgram extends Pick<NotedProcess, "bareEnvironment"> {
  /** In the wrapper's pid namespace. */
  readonly pid: number;
}

/** A wrapper, and its registration. */
export interface Registering {
  readonly caller: LocalCaller;
  readonly registration: bigint;
  /** The wrapper's registration before its Hello. */
  readonly cameAs: bigint | undefined;
}

/**
 * Marks the descendant of a wrapper that has a number in its pid namespace, and its present
 * descendants.
 *
 * @throws AgentError if it is not below the wrapper, of another pod, or of another wrapper
 */
export function protectProgram(
  protecting: Protecting,
  { caller, registration, cameAs }: Registering,
  { pid: claimedPid, bareEnvironment }: ClaimedProgram,
): NotedProcess {
  const { marks } = protecting;
  const found = findDescendant(caller.process, claimedPid);
  if (found === undefined) throw noDescendant(claimedPid);
  using acquired = acquireProcess(found.pid);
  const process = acquired && verified(acquired.pidfd, found, caller);
  if (acquired === undefined || process === undefined) throw noDescendant(claimedPid);
  checkPod(process.program, caller);
  const known = askingForMarks("a process", () =>
    knownClaims(protecting, { process: caller.process, cameAs }),
  );
  const isWrapper =
    askingForMarks("a process", () => known.ofWrapper(process.program)) !== undefined;
  const pidfd = isWrapper ? undefined : acquired.pidfd;
  checkClaim(marks, known, { ...process, registration, pidfd });
  // One that is a wrapper by now is protected by its own registration, and so are its descendants.
  const { program } = process;
  if (pidfd !== undefined) {
    markProgram(marks, known, { program, pidfd, registration, bareEnvironment });
  }
  marks.keepRegions(secretRegions(program.pid), registration);
  return { pid: program.pid, startTicks: program.startTicks, bareEnvironment };
}

interface Verified {
  readonly program: ProcessFacts;
  readonly line: readonly ProcessFacts[];
}

/** All that was read counts only if both ends of the line have lived for as long as it took. */
function verified(pidfd: number, found: ProcessFacts, caller: LocalCaller): Verified | undefined {
  const program = readProcess(found.pid);
  if (program === undefined || program.startTicks !== found.startTicks) return undefined;
  const level = caller.process.namespacePids.length - 1;
  if (program.namespacePids[level] !== found.namespacePids[level]) return undefined;
  const line = lineage(program, caller.process);
  if (line === undefined || !processLives(pidfd) || !processLives(caller.pidfd)) return undefined;
  return { program, line };
}

function checkPod({ cgroup, pid }: ProcessFacts, caller: LocalCaller): void {
  const podUid = cgroupIdentity(cgroup).podUid;
  if (podUid === caller.podUid) return;
  const wanted = caller.podUid === undefined ? "no pod" : `pod ${caller.podUid}`;
  const text = `protect process ${pid}: its wrapper is of ${wanted}, it is of ${podUid ?? "none"}`;
  throw new AgentError("REGISTRATION_POD_MISMATCH", text);
}

interface CheckedClaim extends Verified {
  readonly registration: bigint;
  /**
   * The pidfd of the program, whose mark counts. Undefined for a wrapper, whose mark is its own.
   */
  readonly pidfd: number | undefined;
}

function checkClaim(marks: Marks, known: KnownClaims, claim: CheckedClaim): void {
  const { program, line, registration, pidfd } = claim;
  const nearer = askingForMarks("a process", () => {
    const markedBy = pidfd === undefined ? undefined : marks.protectedBy(pidfd);
    return nearerClaim({ line, registration, markedBy }, known);
  });
  if (nearer === undefined) return;
  const text = `protect process ${program.pid}: registration ${nearer} is nearer to it`;
  throw new AgentError("REGISTRATION_TAKEN", text);
}

function noDescendant(claimedPid: number): AgentError {
  const text = `protect process ${claimedPid}: no process below the caller has this number in its pid namespace`;
  return new AgentError("REGISTRATION_NOT_DESCENDANT", text);
}
