import { Inode } from "./inode.ts";
import type { Process } from "./process.ts";

const encoder = new TextEncoder();

/** The processes that /proc shows. */
export interface Processes {
  readonly processes: ReadonlyMap<number, Process>;
}

/** Finds a file by its path below /proc; proc(5). Returns undefined if /proc has no such file. */
export function processFile(
  machine: Processes,
  reader: Process,
  path: string,
  number: number,
): Inode | undefined {
  const [first = "", ...rest] = path.split("/");
  if (first === "self" && rest.length === 0) {
    return new Inode(number, "/proc/self", "link", { bytes: encoder.encode(String(reader.pid)) });
  }
  const process = first === "self" ? reader : machine.processes.get(Number(first));
  if (process === undefined) return undefined;
  const text = contentOf(process, rest.join("/"));
  return text && new Inode(number, `/proc/${path}`, "regular", { made: text, permissions: 0o444 });
}

function contentOf(process: Process, name: string): (() => Uint8Array) | undefined {
  switch (name) {
    case "stat":
      return () => encoder.encode(statOf(process));
    case "status":
      return () => encoder.encode(statusOf(process));
    case "cmdline":
      return () => ended(process, process.argv);
    case "environ":
      return () => ended(process, process.environment);
    case `task/${process.pid}/children`:
      return () => encoder.encode([...process.children].map(({ pid }) => `${pid} `).join(""));
    default:
      return undefined;
  }
}

/** A zombie has no memory, and so none of them. */
function ended({ isAlive }: Process, words: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array((isAlive ? words : []).flatMap((word) => [...word, 0]));
}

/** proc_pid_stat(5). */
function statOf(process: Process): string {
  const state = stateOf(process);
  const { pid, name, parent, group } = process;
  const rest = Array.from({ length: 47 }, () => "0").join(" ");
  return `${pid} (${name}) ${state} ${parent?.pid ?? 0} ${group} ${rest}\n`;
}

function stateOf(process: Process): string {
  if (!process.isAlive) return "Z";
  return process.isStopped ? "T" : "S";
}

/** proc_pid_status(5). */
function statusOf(process: Process): string {
  const mask = (numbers: Iterable<number>) => {
    let bits = 0n;
    for (const number of numbers) bits |= 1n << BigInt(number - 1);
    return bits.toString(16).padStart(16, "0");
  };
  const rows: Readonly<Record<string, string | number>> = {
    Name: process.name,
    State: stateOf(process),
    Tgid: process.pid,
    Pid: process.pid,
    PPid: process.parent?.pid ?? 0,
    TracerPid: 0,
    Uid: "0\t0\t0\t0",
    Gid: "0\t0\t0\t0",
    NSpid: process.pid,
    SigBlk: mask(process.blocked),
    SigIgn: mask(process.ignored),
    SigCgt: mask([]),
    CapEff: "000001ffffffffff",
    CapPrm: "000001ffffffffff",
    NoNewPrivs: 0,
    Seccomp: 0,
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name}:\t${value}\n`)
    .join("");
}
