import { systemCallTable } from "@svc/kernel";
import { prepareCode } from "../../src/tracer/prepare-code.ts";
import { SYSTEM_CALL_STOP, start } from "./execute.ts";
import { scratch, textOf } from "./load-program.ts";
import { Memory } from "./memory.ts";
import { runPreparingCode } from "./preparing-code.ts";
import type { Action } from "./program.ts";
import type { MachineState } from "./state.ts";
import {
  endProcess,
  endThread,
  forceSignal,
  signalThread,
  stopThread,
  takesSignal,
} from "./stops.ts";
import { callNumber, isAnnounced, perform } from "./system-calls.ts";
import type { Thread } from "./thread.ts";

const MOST_TURNS = 20_000;
const SIGTRAP = 5;
const SIGILL = 4;
const ENOSYS = 38;
const PAGE_BYTES = 4096;
const ARM64_INSTRUCTION_BYTES = 4;
const PTRACE_OPTION_CALLS = 1;

/** Lets every thread go on as far as it can. */
export function runMachine(state: MachineState): void {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const moved = state.threads.filter((thread) => step(state, thread));
    if (moved.length === 0) return;
  }
  state.isHung = true;
  throw new Error("a program runs for ever");
}

function step(state: MachineState, thread: Thread): boolean {
  if (thread.isDead || thread.stop !== undefined) return false;
  if (thread.wait !== undefined && !wakes(state, thread)) return false;
  const { next } = thread;
  if (next !== undefined) {
    thread.next = undefined;
    next();
    return true;
  }
  if (takesSignal(state, thread)) return true;
  goOn(state, thread);
  return true;
}

/** An interruption by the tracer, or a signal, ends a wait that signals end. */
function wakes(state: MachineState, thread: Thread): boolean {
  const { wait } = thread;
  const isCalled = thread.isInterrupted || thread.pending.some((signal) => !thread.blocks(signal));
  if (wait?.kind === "sleep" && isCalled) {
    thread.wait = undefined;
    return true;
  }
  if (wait?.kind !== "answer" || !isCalled) return false;
  const own = state.announced.find(({ id }) => id === wait.id);
  // Once it is taken, only signals that kill end the wait: SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV.
  if (own === undefined || own.isTaken) return false;
  state.announced = state.announced.filter((one) => one !== own);
  thread.wait = undefined;
  // The kernel makes the call again.
  thread.next = undefined;
  thread.redo = () => seccomp(state, thread);
  return true;
}

function goOn(state: MachineState, thread: Thread): void {
  const { process, redo } = thread;
  thread.redo = undefined;
  if (redo !== undefined) redo();
  else if (thread.program !== undefined) act(state, thread, thread.program);
  else if (process.file.bits === 32) begin(thread);
  else if (thread.code !== undefined) runCode(state, thread);
  else fetch(state, thread);
}

/** The instruction that the thread stands at. */
function fetch(state: MachineState, thread: Thread): void {
  const { layout, entry } = thread.process;
  const at = thread.get(layout.instructionPointer);
  const call = layout.systemCallInstruction;
  const code = prepareCode[state.architecture] ?? new Uint8Array(0);
  if (equal(thread.memory.readUpTo(at, call.length), call)) {
    thread.set([layout.instructionPointer, at + call.length]);
    const parameters = layout.systemCallArguments.map((register) => thread.get(register));
    enterCall(state, thread, thread.get(layout.systemCallNumber), parameters);
  } else if (equal(thread.memory.readUpTo(at, code.length), code)) {
    thread.code = { start: at, steps: runPreparingCode(thread) };
    thread.set([layout.instructionPointer, at + 8]);
  } else if (at === entry && hasItsText(thread)) begin(thread);
  else forceSignal(thread, SIGILL);
}

/** The program has no instructions but these. */
function hasItsText({ memory, process }: Thread): boolean {
  const text = textOf(process.file);
  return equal(memory.readUpTo(process.entry - (process.entry % PAGE_BYTES), text.length), text);
}

function equal(some: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(some, other) === 0;
}

/** The first instruction of the program. */
function begin(thread: Thread): void {
  const { process } = thread;
  const page = process.entry - (process.entry % PAGE_BYTES);
  process.beginnings.push({
    path: process.file.path,
    registers: thread.registers.slice(),
    text: process.file.bits === 32 ? new Uint8Array(0) : thread.memory.read(page, PAGE_BYTES),
    mask: thread.mask,
    isTraced: thread.traced !== undefined,
    variables: process.variables,
    environ: process.environ,
    argv: process.words,
  });
  thread.program = process.behavior(process);
}

function runCode(state: MachineState, thread: Thread): void {
  const { code } = thread;
  if (code === undefined) return;
  const { done, value } = code.steps.next(thread.result);
  if (done !== true) {
    const [name, ...parameters] = value;
    enterCall(state, thread, callNumber(state, name), parameters);
    return;
  }
  thread.code = undefined;
  const length = prepareCode[state.architecture]?.length ?? 0;
  const behind = state.architecture === "arm64" ? ARM64_INSTRUCTION_BYTES : 0;
  switch (value) {
    case "trap":
      thread.set([thread.process.layout.instructionPointer, code.start + length - behind]);
      forceSignal(thread, SIGTRAP);
      break;
    case "exit":
      enterCall(state, thread, callNumber(state, "exit_group"), [125]);
      break;
    case "begin":
      break;
  }
}

/** A system call, with its stops if the tracer asks for them. */
export function enterCall(
  state: MachineState,
  thread: Thread,
  number: number,
  parameters: readonly number[],
): void {
  const { layout } = thread.process;
  thread.call = { number, parameters };
  thread.set(
    ...layout.systemCallArguments.map(
      (register, index) => [register, parameters[index] ?? 0] as const,
    ),
    [layout.systemCallNumber, number],
  );
  const goOn = () => seccomp(state, thread);
  if (!stopsAtCalls(thread)) goOn();
  else stopThread(state, thread, { signal: SYSTEM_CALL_STOP, at: "entry", goOn });
}

function seccomp(state: MachineState, thread: Thread): void {
  const { process, call } = thread;
  if (call === undefined) return;
  const isPassing = process.isPassing;
  process.isPassing = false;
  if (!process.isAnnounced || isPassing || !isAnnounced(state, call.number)) {
    makeCall(state, thread);
  } else if (!state.isListenerOpen) leaveCall(state, thread, -ENOSYS);
  else {
    const id = state.newId();
    state.announced.push({ id, thread, ...call, isTaken: false });
    state.unread += 1;
    thread.wait = { kind: "answer", id };
  }
}

/** The call itself. */
export function makeCall(state: MachineState, thread: Thread): void {
  const { call } = thread;
  if (call === undefined) return;
  const result = perform(state, thread, call.number, call.parameters);
  if (result !== undefined) leaveCall(state, thread, result);
}

/** Its end. */
export function leaveCall(state: MachineState, thread: Thread, result: number): void {
  thread.call = undefined;
  thread.result = result;
  thread.set([thread.process.layout.result, result]);
  if (stopsAtCalls(thread)) stopThread(state, thread, { signal: SYSTEM_CALL_STOP, at: "exit" });
}

function stopsAtCalls({ traced, stopsAtCalls }: Thread): boolean {
  return stopsAtCalls && traced !== undefined && (traced & PTRACE_OPTION_CALLS) !== 0;
}

function act(state: MachineState, thread: Thread, program: Generator<Action, void, number>): void {
  const { done, value } = program.next(thread.result);
  if (done === true) {
    thread.wait = { kind: "sleep" };
    return;
  }
  switch (value.kind) {
    case "execute":
      executes(state, thread, value);
      break;
    case "fork":
    case "vfork":
    case "thread":
      thread.result = start(state, thread, value.kind, value.child);
      break;
    case "call":
      enterCall(state, thread, value.number, value.arguments ?? []);
      break;
    case "change user":
      changesUser(state, thread, value.user);
      break;
    case "raise":
      signalThread(state, thread, value.signal);
      break;
    case "sleep":
      thread.wait = { kind: "sleep" };
      break;
    case "wait in the kernel":
      thread.wait = { kind: "disk" };
      break;
    case "dawdle":
      thread.wait = { kind: "long way" };
      break;
    case "end thread":
      endThread(state, thread);
      break;
    case "exit":
      endProcess(state, thread.process, { code: value.code });
      break;
  }
}

function changesUser(state: MachineState, thread: Thread, user: number): void {
  const { process } = thread;
  const [setuid = 0] = systemCallTable().changesOfUser;
  process.nextUser = user;
  enterCall(state, thread, setuid, [user]);
}

function executes(
  state: MachineState,
  thread: Thread,
  { path, environment = {}, folder }: Extract<Action, { readonly kind: "execute" }>,
): void {
  const { process } = thread;
  if (thread.memory.segments.length === 0) {
    process.memory = new Memory();
    process.memory.map({ start: scratch, bytes: new Uint8Array(PAGE_BYTES * 4), isShared: false });
  }
  const { memory } = process;
  let at = scratch + PAGE_BYTES;
  const put = (text: string) => {
    const address = at;
    const bytes = new TextEncoder().encode(`${text}\0`);
    memory.write(address, bytes);
    at += bytes.length;
    return address;
  };
  const given = process.slots === 0 ? [] : memory.pointers(process.slots);
  const kept = given.filter(
    (text) => environment[memory.text(text).split("=")[0] ?? ""] === undefined,
  );
  const changed = Object.entries(environment).filter(([, value]) => value !== null);
  const envp = [...kept, ...changed.map(([name, value]) => put(`${name}=${value}`))];
  const [name, argv] = [put(path), [put(path)]];
  memory.setWords(scratch, [...argv, 0, ...envp, 0]);
  const words = [name, scratch, scratch + 8 * (argv.length + 1)];
  const { execve, execveat } = process.layout.systemCalls;
  if (folder === undefined) enterCall(state, thread, execve, words);
  else enterCall(state, thread, execveat, [folder, ...words]);
}
