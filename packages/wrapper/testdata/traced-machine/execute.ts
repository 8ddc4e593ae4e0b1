import { loadProgram } from "./load-program.ts";
import type { MachineFile } from "./program.ts";
import type { MachineState } from "./state.ts";
import { endThread, releaseVfork, SIGTRAP, stopThread } from "./stops.ts";
import { Process, Thread } from "./thread.ts";

const ENOENT = 2;
const EACCES = 13;
const EXECUTE = 0o111;
const READ = 0o444;
const S_ISUID = 0o4000;
const TRACE_EXEC = 0x10;
const TRACE_FORK = 2;
const TRACE_VFORK = 4;
const TRACE_CLONE = 8;
const EVENT_EXEC = 4;
export const SYSTEM_CALL_STOP = 0x85;

/** execve(2): 0, or the negative errno. The thread then stands behind it. */
export function execute(
  state: MachineState,
  thread: Thread,
  { path, argv, envp }: { path: string; argv: number; envp: number },
): number {
  const { memory, process } = thread;
  const file = state.files.get(path);
  if (file === undefined) return -ENOENT;
  if ((file.mode & EXECUTE) === 0) return -EACCES;
  const textsAt = (at: number) => memory.pointers(at).map((pointer) => memory.text(pointer));
  const texts = { path, argv: textsAt(argv), environment: textsAt(envp) };
  const former = thread.tid;
  becomeLeader(state, thread);
  releaseVfork(state, process);
  changePrivileges(state, thread, file);
  loadProgram(thread, file, texts, state.vdso);
  const { restartGuard, systemCalls, result } = process.layout;
  if (restartGuard !== undefined && file.bits === 64) {
    thread.set([restartGuard, systemCalls.execve]);
  }
  const behind = () => {
    if (file.bits === 64) thread.set([result, 0]);
    if (!thread.stopsAtCalls) return;
    stopThread(state, thread, { signal: SYSTEM_CALL_STOP, at: "exit" });
  };
  if (((thread.traced ?? 0) & TRACE_EXEC) === 0) behind();
  else {
    stopThread(state, thread, {
      signal: SIGTRAP,
      event: EVENT_EXEC,
      message: former,
      goOn: behind,
    });
  }
  return 0;
}

/** The thread takes its leader's number, and the others end. */
function becomeLeader(state: MachineState, thread: Thread): void {
  const { process } = thread;
  for (const other of process.threads) if (other !== thread) endThread(state, other);
  process.threads = [thread];
  thread.tid = process.pid;
}

/** The kernel withholds privileges from a traced process: its tracer has no capability. */
function changePrivileges(state: MachineState, { process, traced }: Thread, file: MachineFile) {
  process.isUnreadable = (file.mode & READ) === 0;
  // A program's memory is that of its user again.
  process.isClosed = process.isClosed && !state.tracesAllUsers;
  const raises = (file.mode & S_ISUID) !== 0 && !file.isWithoutPrivileges;
  if (!raises || process.isPrivilegeFree || traced !== undefined) return;
  process.effective = file.uid;
  process.saved = file.uid;
}

/** fork(2), vfork(2), and clone(2) of a thread. Returns the new number. */
export function start(
  state: MachineState,
  thread: Thread,
  kind: "fork" | "vfork" | "thread",
  behavior: Process["behavior"],
): number {
  const child = kind === "thread" ? newThread(state, thread) : newProcess(state, thread, kind);
  child.program = behavior(child.process);
  const [event, option] = {
    fork: [1, TRACE_FORK] as const,
    vfork: [2, TRACE_VFORK] as const,
    thread: [3, TRACE_CLONE] as const,
  }[kind];
  const isTraced = ((thread.traced ?? 0) & option) !== 0;
  const waits = () => {
    if (kind === "vfork" && child.process.end === undefined && child.memory === thread.memory) {
      thread.wait = { kind: "vfork", child: child.process };
    }
  };
  if (!isTraced) waits();
  else {
    child.traced = thread.traced;
    // The new one stands before its first instruction.
    stopThread(state, child, { signal: SIGTRAP, event: 128 });
    stopThread(state, thread, { signal: SIGTRAP, event, message: child.tid, goOn: waits });
  }
  return child.tid;
}

function newThread(state: MachineState, { process, registers, mask }: Thread): Thread {
  const thread = new Thread(process, state.newPid(), registers.slice());
  thread.mask = mask;
  process.threads.push(thread);
  return thread;
}

function newProcess(state: MachineState, thread: Thread, kind: "fork" | "vfork"): Thread {
  const { process, memory } = thread;
  const pid = state.newPid();
  const child = new Process({
    pid,
    parent: process.pid,
    layout: process.layout,
    memory: kind === "vfork" ? memory : memory.copy(),
    file: process.file,
  });
  const { entry, slots, environmentStart, environmentBytes, mappingsEnd } = process;
  Object.assign(child, { entry, slots, environmentStart, environmentBytes, mappingsEnd });
  const { real, effective, saved, isPrivilegeFree, isAnnounced, isClosed, isUnreadable } = process;
  Object.assign(child, { real, effective, saved, isPrivilegeFree, isAnnounced });
  Object.assign(child, { isClosed, isUnreadable, descriptors: new Map(process.descriptors) });
  child.refusals = new Map(process.refusals);
  const own = new Thread(child, pid, thread.registers.slice());
  own.mask = thread.mask;
  child.threads.push(own);
  state.processes.set(pid, child);
  return own;
}
