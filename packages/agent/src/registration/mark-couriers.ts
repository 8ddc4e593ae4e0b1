import { readlinkSync } from "node:fs";
import { processLives } from "@svc/kernel";
import { acquireProcess } from "./acquire-process.ts";
import { childrenOf } from "./find-descendant.ts";
import type { Marks } from "./marks.ts";
import { isGone, type ProcessFacts, readProcess } from "./process-facts.ts";

type CourierMarks = Pick<Marks, "markHelper" | "protectedBy">;

/** A wrapper has one courier at a time, or two while it rotates. */
const MOST_COURIERS = 16;

/**
 * Marks the couriers that a wrapper started before its Hello: its children that run its own file.
 * The kernel side marks later ones itself, at their fork.
 *
 * @throws SyscallError if the kernel takes no mark
 */
export function markCouriers(
  marks: CourierMarks,
  wrapper: ProcessFacts,
  registration: bigint,
): void {
  const file = fileOf(wrapper.pid);
  if (file === undefined) return;
  for (const pid of childrenOf(wrapper.pid).slice(0, MOST_COURIERS)) {
    if (fileOf(pid) === file) markCourier(marks, { wrapper, pid, registration });
  }
}

interface Courier {
  readonly wrapper: ProcessFacts;
  readonly pid: number;
  readonly registration: bigint;
}

function markCourier(marks: CourierMarks, { wrapper, pid, registration }: Courier): void {
  using acquired = acquireProcess(pid);
  if (acquired === undefined) return;
  const { pidfd } = acquired;
  if (readProcess(pid)?.parentPid !== wrapper.pid || !processLives(pidfd)) return;
  if (marks.protectedBy(pidfd) === undefined) marks.markHelper(pidfd, registration);
}

/** Its path, which the kernel side does not trust: it compares the inodes at each opening. */
function fileOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
