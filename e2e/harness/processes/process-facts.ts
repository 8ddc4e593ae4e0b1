import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** The pids of the children of a process's thread, by default of its main thread. */
export function childrenOf(pid: number, thread = pid): readonly number[] {
  const text = readIfThere(`/proc/${pid}/task/${thread}/children`)?.toString() ?? "";
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** The state letter of proc_pid_stat(5): `R`, `S`, `T`, `Z`, …; undefined for no such process. */
export function stateOf(pid: number): string | undefined {
  return readIfThere(`/proc/${pid}/stat`)
    ?.toString()
    .match(/\) (\w)/)?.[1];
}

/** /proc/PID/environ, empty if it cannot be read. */
export function environOf(pid: number): Buffer {
  return readIfThere(`/proc/${pid}/environ`) ?? Buffer.alloc(0);
}

/** /proc/PID/cmdline, empty if it cannot be read. */
export function commandLineOf(pid: number): Buffer {
  return readIfThere(`/proc/${pid}/cmdline`) ?? Buffer.alloc(0);
}

/** The user that /proc/PID belongs to: root if the process is not dumpable; proc_pid(5). */
export function ownerOf(pid: number): number {
  return statSync(`/proc/${pid}/environ`).uid;
}

/** Every process whose environment holds `text`; a zombie has none. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environOf(pid).includes(text));
}

/** A line for a message: pid, executable and arguments. */
export function describeProcess(pid: number): string {
  const words = commandLineOf(pid).toString().replaceAll("\0", " ").trim();
  return `${pid} ${linkAt(`/proc/${pid}/exe`)}: ${words.slice(0, 200)}`;
}

/** The addresses on which this very process listens; proc_pid_net(5). */
export function ownListeners(): readonly string[] {
  const own = new Set(readdirSync("/proc/self/fd").map((fd) => linkAt(`/proc/self/fd/${fd}`)));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/self/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && own.has(`socket:[${inode}]`))
      .map(([, address]) => address ?? ""),
  );
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
