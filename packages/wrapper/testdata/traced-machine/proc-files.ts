import { processId } from "@svc/kernel";
import { CallError } from "./call-error.ts";
import type { MachineState } from "./state.ts";
import type { Process, Thread } from "./thread.ts";

const ENOENT = 2;
const EACCES = 13;
const ESRCH = 3;

/** A place of the machine's file system. */
export type Place =
  | { readonly kind: "file"; readonly contents: Uint8Array; readonly path?: string }
  | { readonly kind: "folder"; readonly names: readonly string[] }
  | { readonly kind: "memory"; readonly process: Process };

/** Finds a place, links followed. @throws CallError */
export function placeAt(state: MachineState, path: string): Place {
  const own = state.texts.get(path);
  if (own !== undefined) return textPlace(own);
  const [, pid = "", rest = ""] = /^\/proc\/(\w+)\/(.*)$/.exec(path) ?? [];
  if (pid === "") return fileAt(state, path);
  if (pid === "self" || Number(pid) === processId()) return ofItself(state, rest);
  // A thread has a folder as well, which is not listed.
  const thread = state.thread(Number(pid));
  if (thread === undefined || thread.process.isReaped) throw new CallError(ENOENT);
  return ofProcess(state, thread, rest);
}

function ofItself(state: MachineState, rest: string): Place {
  if (rest === "status") return textPlace(state.ownStatus);
  if (rest === "task") return { kind: "folder", names: [String(state.self)] };
  if (rest !== `task/${state.self}/children`) throw new CallError(ENOENT);
  return textPlace(childrenText(state, state.self));
}

function ofProcess(state: MachineState, thread: Thread, rest: string): Place {
  const { process } = thread;
  const [first = "", ...others] = rest.split("/");
  switch (first) {
    case "mem":
      if (process.isClosed || process.isUnreadable) throw new CallError(EACCES);
      return { kind: "memory", process };
    case "exe":
      return fileAt(state, linkOf(process));
    case "root":
      if (process.isClosed) throw new CallError(EACCES);
      return fileAt(state, `/${others.join("/")}`);
    case "cwd":
      if (process.isClosed) throw new CallError(EACCES);
      return fileAt(state, `/srv/app/${others.join("/")}`);
    case "fd":
      return fileAt(state, `/fd${others.join("/")}`);
    case "task":
      return ofThread(state, process, others);
    case "maps":
      if (process.isClosed) throw new CallError(EACCES);
      return textPlace(process.end === undefined ? mapsOf(process) : "");
    case "stat":
      return textPlace(statOf(process, process.leader.state));
    case "status":
      return textPlace(statusOf(state, thread));
    default:
      throw new CallError(ENOENT);
  }
}

/** readlink(2) of /proc/PID/exe. @throws CallError */
export function linkOf(process: Process): string {
  if (process.isClosed) throw new CallError(EACCES);
  if (process.end !== undefined) throw new CallError(ENOENT);
  return process.file.path;
}

function ofThread(
  state: MachineState,
  process: Process,
  [tid = "", name]: readonly string[],
): Place {
  const living = process.threads.filter(({ isDead, tid }) => !isDead || tid === process.pid);
  if (tid === "") return { kind: "folder", names: living.map((thread) => String(thread.tid)) };
  const thread = living.find((one) => one.tid === Number(tid));
  if (thread === undefined) throw new CallError(ESRCH);
  if (name === "children") {
    return textPlace(tid === String(process.pid) ? childrenText(state, process.pid) : "");
  }
  if (name !== "stat") throw new CallError(ENOENT);
  return textPlace(statOf(process, thread.state));
}

function childrenText(state: MachineState, pid: number): string {
  const children = [...state.processes.values()].filter(({ parent, isReaped }) => {
    return parent === pid && !isReaped;
  });
  return children.map((child) => `${child.pid} `).join("");
}

function mapsOf({ memory }: Process): string {
  const hex = (address: number) => address.toString(16);
  return memory.segments
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, bytes, path }) => {
      const range = `${hex(start)}-${hex(start + bytes.length)}`;
      return `${range} rw-p 00000000 00:00 ${path === undefined ? 0 : 5} ${path ?? ""}\n`;
    })
    .join("");
}

function statOf(process: Process, letter: string): string {
  const zeros = Array.from({ length: 46 }, () => "0").join(" ");
  // The name of a program may hold anything.
  return `${process.pid} (a) Z (b) ${letter} ${zeros} ${process.environmentStart} 0\n`;
}

function statusOf({ self }: MachineState, { process, traced }: Thread): string {
  const { real, effective, saved, tracer } = process;
  const ids = `${real}\t${effective}\t${saved}\t${effective}`;
  const own = traced === undefined ? 0 : self;
  const lines = [
    "Name:\tprogram",
    `TracerPid:\t${tracer ?? own}`,
    `Uid:\t${ids}`,
    `Gid:\t${ids}`,
    `NoNewPrivs:\t${process.isPrivilegeFree ? 1 : 0}`,
  ];
  return `${lines.join("\n")}\n`;
}

function fileAt(state: MachineState, path: string): Place {
  const file = state.files.get(path);
  if (file === undefined) throw new CallError(ENOENT);
  return { kind: "file", contents: file.contents, path };
}

function textPlace(text: string): Place {
  return { kind: "file", contents: new TextEncoder().encode(text) };
}
