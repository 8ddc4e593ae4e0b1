import { readFileSync } from "node:fs";
import { statField } from "@svc/kernel";

/** One process, as /proc reports it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parentPid: number;
  /** Since boot, in clock ticks: with the pid it names one process for ever. */
  readonly startTicks: number;
  /** Its numbers, from the namespace of /proc's mount to its own; NSpid of proc_pid_status(5). */
  readonly namespacePids: readonly number[];
  /** The thread that traces it, 0 if none does; proc_pid_status(5). */
  readonly tracer: number;
  /** Its path in the unified hierarchy, or in the first of the older ones. */
  readonly cgroup: string;
}

/** Reads the facts about a process; undefined if there is none. */
export function readProcess(pid: number, proc = "/proc"): ProcessFacts | undefined {
  try {
    const file = (name: string) => readFileSync(`${proc}/${pid}/${name}`, "latin1");
    return parseProcess(pid, {
      stat: file("stat"),
      status: file("status"),
      cgroup: file("cgroup"),
    });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The cgroup of a process, as in its facts; undefined if there is no such process. */
export function readCgroup(pid: number): string | undefined {
  try {
    return parseCgroup(readFileSync(`/proc/${pid}/cgroup`, "latin1"));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** ESRCH if it ends between open and read. */
export function isGone(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ENOENT" || error.code === "ESRCH";
}

/** The texts of `/proc/PID/stat`, `status` and `cgroup`. */
export interface ProcessTexts {
  readonly stat: string;
  readonly status: string;
  readonly cgroup: string;
}

/** Puts the facts together; undefined if the texts are not those of a process that lives. */
export function parseProcess(pid: number, texts: ProcessTexts): ProcessFacts | undefined {
  const { stat } = texts;
  const state = statField(stat, 3);
  const startTicks = Number(statField(stat, 22));
  const pids = /^NSpid:\s*(.+)$/m.exec(texts.status)?.[1] ?? String(pid);
  const parentPid = Number(statField(stat, 4) ?? "");
  const tracer = Number(/^TracerPid:\s*(\d+)$/m.exec(texts.status)?.[1] ?? 0);
  if (!Number.isSafeInteger(startTicks) || !Number.isSafeInteger(parentPid)) return undefined;
  if (state === "Z" || state === "X") return undefined;
  const namespacePids = pids.trim().split(/\s+/).map(Number);
  const cgroup = parseCgroup(texts.cgroup);
  return { pid, parentPid, startTicks, namespacePids, tracer, cgroup };
}

/** cgroups(7): `0::/path` is the unified hierarchy. */
function parseCgroup(text: string): string {
  const lines = text.split("\n").filter((line) => line !== "");
  const line = lines.find((candidate) => candidate.startsWith("0::")) ?? lines[0] ?? "";
  const unified = line.split(":").slice(2).join(":");
  if (unified !== "/" || lines.length < 2) return unified;
  // Both kinds are mounted, and the unified one is not in use.
  return lines[0]?.split(":").slice(2).join(":") ?? unified;
}
