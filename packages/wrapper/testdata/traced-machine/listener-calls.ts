import { CallError } from "./call-error.ts";
import { leaveCall, makeCall, runMachine } from "./run-machine.ts";
import type { Announced, MachineState } from "./state.ts";

const ENOENT = 2;
const EMFILE = 24;
const ENOSYS = 38;
const CONTINUE = 1;
const ADDFD_SEND = 2;
const FIRST_DESCRIPTOR = 3;
const NOTIF_RECV = 0xc050_2100;
const NOTIF_SEND = 0xc018_2101;
const NOTIF_ADDFD = 0x4018_2103;

/** The names of the requests of a listener; linux/seccomp.h. */
export const listenerRequests: Readonly<Record<number, string>> = {
  [NOTIF_RECV]: "RECV",
  [NOTIF_SEND]: "SEND",
  [NOTIF_ADDFD]: "ADDFD",
};

/** ioctl(2) of the listener; seccomp_unotify(2). */
export function askListener(state: MachineState, request: string, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (request) {
    case "RECV":
      receive(state, view);
      return 0;
    case "SEND":
      answer(state, view);
      return 0;
    default:
      return addDescriptor(state, view);
  }
}

/** Closes it: calls that wait for an answer fail. */
export function closeListener(state: MachineState): void {
  state.isListenerOpen = false;
  for (const waiting of state.announced) {
    goOn(state, waiting, () => leaveCall(state, waiting.thread, -ENOSYS));
  }
}

function receive(state: MachineState, view: DataView): void {
  runMachine(state);
  const next = state.announced.find(({ isTaken }) => !isTaken);
  if (next === undefined) {
    if (state.unread === 0) {
      state.isHung = true;
      throw new Error("the tracer waits for ever for an announcement");
    }
    state.unread -= 1;
    throw new CallError(ENOENT);
  }
  state.unread -= 1;
  next.isTaken = true;
  view.setBigUint64(0, next.id, true);
  view.setUint32(8, next.thread.tid, true);
  view.setInt32(16, next.number, true);
  next.parameters.slice(0, 6).forEach((word, index) => {
    view.setBigInt64(32 + 8 * index, BigInt(word), true);
  });
}

function taken(state: MachineState, view: DataView): Announced {
  const id = view.getBigUint64(0, true);
  const found = state.announced.find((one) => one.id === id && one.isTaken);
  if (found === undefined) throw new CallError(ENOENT);
  return found;
}

function answer(state: MachineState, view: DataView): void {
  const found = taken(state, view);
  const value = Number(view.getBigInt64(8, true));
  const error = view.getInt32(16, true);
  const isContinued = (view.getUint32(20, true) & CONTINUE) !== 0;
  goOn(state, found, () => {
    if (isContinued) makeCall(state, found.thread);
    else leaveCall(state, found.thread, error === 0 ? value : error);
  });
}

function addDescriptor(state: MachineState, view: DataView): number {
  const found = taken(state, view);
  const { process } = found.thread;
  if (state.refusals.has("open")) throw new CallError(EMFILE);
  const fd = view.getUint32(12, true);
  let number = FIRST_DESCRIPTOR;
  while (process.descriptors.has(number)) number += 1;
  process.descriptors.set(number, fd === state.region.fd ? "region" : "other");
  if ((view.getUint32(8, true) & ADDFD_SEND) !== 0) {
    goOn(state, found, () => leaveCall(state, found.thread, number));
  }
  return number;
}

function goOn(state: MachineState, { id, thread }: Announced, next: () => void): void {
  state.announced = state.announced.filter((one) => one.id !== id);
  thread.wait = undefined;
  thread.next = next;
}
