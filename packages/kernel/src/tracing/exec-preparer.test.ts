import { describe, expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { libc, newExecPreparer } from "#native";
import { createExecPreparer, type ExecPreparer } from "./exec-preparer.ts";

// Pipes stand in for the listener and for SIGCHLD: e2e/wrapper/following.test.ts has programs.
describe("an exec preparer", () => {
  const nothing = { expected: [], asking: [], hasChange: false, stop: undefined };

  test("is missing if the runtime has none", () => {
    expect(preparerOn(-1, -1) === undefined).toBe(newExecPreparer === undefined);
  });

  onEngine("leaves nothing over if nothing has come", (preparer) => {
    expect(preparer.run()).toBeUndefined();
    expect(preparer.run()).toBeUndefined();
  });

  onEngine("says when no process has the filter any more", (preparer, { closeListener }) => {
    closeListener();
    expect(preparer.run()).toEqual({ ...nothing, isClosed: true, notification: undefined });
  });

  onEngine("takes a SIGCHLD that is about no child", (preparer, { signal }) => {
    signal();
    expect(preparer.run()).toBeUndefined();
  });

  onEngine("notes no file of a process that is gone", (preparer) => {
    preparer.noteOrdinary(0x7fff_fff0);
    expect(preparer.run()).toBeUndefined();
  });
});

interface Events {
  readonly closeListener: () => void;
  readonly signal: () => void;
}

function onEngine(name: string, body: (preparer: ExecPreparer, events: Events) => void): void {
  if (newExecPreparer === undefined) return;
  test(name, () => {
    const [listener, listenerWriter] = pipe();
    const [childSignals, signalWriter] = pipe();
    const open = new Set([listener, listenerWriter, childSignals, signalWriter]);
    const close = (fd: number) => open.delete(fd) && closeSync(fd);
    try {
      const preparer = preparerOn(listener, childSignals);
      if (preparer === undefined) throw new Error("this engine has no preparer");
      body(preparer, {
        closeListener: () => close(listenerWriter),
        signal: () => libc.write(signalWriter, new Uint8Array(8), 8),
      });
    } finally {
      for (const fd of [...open]) close(fd);
    }
  });
}

function preparerOn(listener: number, childSignals: number): ExecPreparer | undefined {
  const layout = { lengthBytes: 216, instructionPointer: 128, stackPointer: 152, beginning: 8 };
  const code = new Uint8Array(8);
  const descriptors = { listener, childSignals, region: -1, main: 1 };
  return createExecPreparer({ ...descriptors, layout, parameters: [[0, 1n]], code, room: 0 });
}

function pipe(): readonly [reader: number, writer: number] {
  const ends = new Int32Array(2);
  libc.pipe2(ends, 0);
  return [ends[0] ?? -1, ends[1] ?? -1];
}
