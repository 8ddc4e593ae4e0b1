import { readFileSync } from "node:fs";
import { leaksIn } from "../harness/processes/leak-search.ts";
import {
  commandLineOf,
  environOf,
  processesWith,
  stateOf,
} from "../harness/processes/process-facts.ts";
import { treeOf } from "../harness/processes/search-process.ts";

/** A process of a run, as /proc shows it. */
export interface SeenProcess {
  readonly pid: number;
  /** The name of its program; proc_pid_comm(5). */
  readonly name: string;
  readonly isTraced: boolean;
  /** `environ of 17 (python3): DB_PASSWORD`: never a value. */
  readonly leaks: readonly string[];
}

/**
 * Looks at a process, at all that come of it, and at all that hold `mark` in their environment: a
 * daemon leaves the tree. Processes that have ended are left out.
 */
export function lookAt(
  root: number,
  mark: string,
  secrets: Readonly<Record<string, string>>,
): readonly SeenProcess[] {
  const pids = new Set([...treeOf(root), ...processesWith(mark)]);
  return [...pids].filter(isAlive).flatMap((pid) => {
    const seen = look(pid, secrets);
    return isAlive(pid) ? [seen] : [];
  });
}

/** False for a zombie, too. */
export function isAlive(pid: number): boolean {
  return ![undefined, "Z", "X"].includes(stateOf(pid));
}

/** Whether a process runs, waits for a processor, or for a disk; proc_pid_stat(5). */
export function wantsProcessor(pid: number): boolean {
  return ["R", "D"].includes(stateOf(pid) ?? "");
}

function look(pid: number, secrets: Readonly<Record<string, string>>): SeenProcess {
  const status = readStatus(pid);
  const name = nameIn(status);
  const places = { environ: environOf(pid), cmdline: commandLineOf(pid) };
  return {
    pid,
    name,
    isTraced: /^TracerPid:\t[1-9]/m.test(status),
    leaks: Object.entries(places).flatMap(([place, bytes]) =>
      Object.entries(secrets)
        .filter(([, value]) => leaksIn(bytes, [value]).length > 0)
        .map(([variable]) => `${place} of ${pid} (${name}): ${variable}`),
    ),
  };
}

/** The name of a process's program; empty for one that has ended. */
export function nameOf(pid: number): string {
  return nameIn(readStatus(pid));
}

function nameIn(status: string): string {
  return /^Name:\t(.*)$/m.exec(status)?.[1] ?? "";
}

/** Empty for a process that has ended. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
