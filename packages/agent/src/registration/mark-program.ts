import { environmentStart, processLives } from "@svc/kernel";
import { acquireProcess } from "./acquire-process.ts";
import { askingForMarks } from "./asking-for-marks.ts";
import { descendantsOf, lineage } from "./find-descendant.ts";
import type { NotedProcess } from "./ledger-text.ts";
import type { Marks } from "./marks.ts";
import { isOfAnother, type KnownClaims } from "./nearer-claim.ts";
import { type ProcessFacts, readProcess } from "./process-facts.ts";

/** A program that a mark is for. */
export interface MarkedProgram extends Pick<NotedProcess, "bareEnvironment"> {
  readonly program: ProcessFacts;
  readonly pidfd: number;
  readonly registration: bigint;
}

/**
 * Marks a program and its present descendants. A descendant that has a mark keeps it.
 *
 * @throws AgentError `REGISTRATION_FAILED` if the kernel takes no mark
 */
export function markProgram(
  marks: Marks,
  known: Pick<KnownClaims, "ofProcess" | "ofWrapper">,
  { program, pidfd, registration, bareEnvironment }: MarkedProgram,
): void {
  // It may execute another program at any time: from the mark on the kernel side sees that, and
  // before it no code does.
  const isBare = () => bareEnvironment !== 0n && environmentStart(program.pid) === bareEnvironment;
  const wasBare = isBare();
  mark(marks, pidfd, registration, wasBare ? "bare" : undefined);
  if (wasBare && !isBare()) mark(marks, pidfd, registration);
  markDescendants(marks, known, { program, registration });
}

/**
 * Children that it started before its mark have none; parents come first, so a child that starts
 * meanwhile inherits one. A process below another wrapper, or below its program, waits for that
 * wrapper.
 */
function markDescendants(
  marks: Marks,
  known: Pick<KnownClaims, "ofProcess" | "ofWrapper">,
  { program, registration }: Pick<MarkedProgram, "program" | "registration">,
): void {
  for (const pid of descendantsOf(program.pid)) {
    using acquired = acquireProcess(pid);
    const child = readProcess(pid);
    if (acquired === undefined || child === undefined) continue;
    const line = lineage(child, program);
    if (line === undefined || !processLives(acquired.pidfd)) continue;
    if (askingForMarks("a process", () => marks.protectedBy(acquired.pidfd)) !== undefined)
      continue;
    if (askingForMarks("a process", () => isOfAnother(line.slice(0, -1), registration, known)))
      continue;
    mark(marks, acquired.pidfd, registration);
  }
}

function mark(
  marks: Marks,
  pidfd: number,
  registration: bigint,
  environment?: "bare" | undefined,
): void {
  askingForMarks("a process", () => marks.protect(pidfd, registration, environment));
}
