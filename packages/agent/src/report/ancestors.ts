import { readFileSync, readlinkSync } from "node:fs";
import { statField } from "@svc/kernel";

/** A process above another one, as /proc has it when the event is read. */
export interface Ancestor {
  readonly pid: number;
  /** As it calls itself, which proves nothing; comm of proc_pid_comm(5). */
  readonly name: string;
  /** The file that it runs, as its mount namespace calls it. Missing if the link is closed. */
  readonly executablePath?: string;
}

/** A process that lives, of proc_pid_stat(5). */
export interface LivingProcess extends Ancestor {
  readonly parentPid: number;
  /** Its start after boot, in ticks of USER_HZ. */
  readonly startTicks: bigint;
}

const MOST_ANCESTORS = 8;
const LONGEST_PATH = 4096;

/**
 * The chain of parents of a process, the nearest first, eight at most. A process that began after
 * its child is not its parent: the number is another process's by now, and the chain ends there.
 *
 * @param child its parent's pid, and its own start in ticks of USER_HZ
 * @param read the process of a pid; undefined if there is none
 */
export function ancestorsOf(
  child: Pick<LivingProcess, "parentPid" | "startTicks">,
  read: (pid: number) => LivingProcess | undefined = readLiving,
): readonly Ancestor[] {
  const found: Ancestor[] = [];
  let below = child;
  while (found.length < MOST_ANCESTORS && below.parentPid > 0) {
    const parent = read(below.parentPid);
    if (parent === undefined || parent.startTicks > below.startTicks) break;
    const { pid, name, executablePath } = parent;
    found.push({ pid, name, ...(executablePath !== undefined && { executablePath }) });
    below = parent;
  }
  return found;
}

/** Reads a process from /proc; undefined if it has ended. */
export function readLiving(pid: number): LivingProcess | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const [parentPid, startTicks] = [statField(stat ?? "", 4), statField(stat ?? "", 22)];
  if (stat === undefined || parentPid === undefined || startTicks === undefined) return undefined;
  const executablePath = attempt(() => readlinkSync(`/proc/${pid}/exe`).slice(0, LONGEST_PATH));
  return {
    pid,
    name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
    parentPid: Number(parentPid),
    startTicks: BigInt(startTicks),
    ...(executablePath !== undefined && { executablePath }),
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
