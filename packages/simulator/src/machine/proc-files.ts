import { Inode } from "./inode.ts";
import type { Process } from "./process.ts";

const encoder = new TextEncoder();

/** proc_pid_limits(5), as far as it is read: no core file is written. */
const LIMITS = "Max core file size        0                    unlimited            bytes\n";

/** The processes that /proc shows. */
export interface Processes {
  /** The user of all of them. */
  readonly user: number;
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
  const made = contentOf(process, rest.join("/"), machine.user);
  // The files of one that is not dumpable are root's; proc_pid(5).
  const owner = process.isDumpable ? machine.user : 0;
  return made && new Inode(number, `/proc/${path}`, "regular", { made, permissions: 0o444, owner });
}

function contentOf(process: Process, name: string, user: number): (() => Uint8Array) | undefined {
  switch (name) {
    case "stat":
      return () => encoder.encode(statOf(process));
    case "status":
      return () => encoder.encode(statusOf(process, user));
    case "coredump_filter":
      return () => encoder.encode("00000033\n");
    case "limits":
      return () => encoder.encode(LIMITS);
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

/** The place of env_start behind the first five fields, and an address. */
const ENV_START_INDEX = 44;
const ENV_START = "140721000000000";

/** proc_pid_stat(5). */
function statOf(process: Process): string {
  const state = stateOf(process);
  const { pid, name, parent, group } = process;
  const rest = Array.from({ length: 47 }, (_, index) =>
    index === ENV_START_INDEX ? ENV_START : "0",
  ).join(" ");
  return `${pid} (${name}) ${state} ${parent?.pid ?? 0} ${group} ${rest}\n`;
}

function stateOf(process: Process): string {
  if (!process.isAlive) return "Z";
  return process.isStopped ? "T" : "S";
}

/** proc_pid_status(5). */
function statusOf(process: Process, user: number): string {
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
    Uid: `${user}\t${user}\t${user}\t${user}`,
    Gid: "0\t0\t0\t0",
    NSpid: process.pid,
    SigBlk: mask(process.blocked),
    SigIgn: mask(process.ignored),
    SigCgt: mask([]),
    CapEff: user === 0 ? "000001ffffffffff" : "0000000000000000",
    CapPrm: user === 0 ? "000001ffffffffff" : "0000000000000000",
    NoNewPrivs: 0,
    Seccomp: 0,
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name}:\t${value}\n`)
    .join("");
}
