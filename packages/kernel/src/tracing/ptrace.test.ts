import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { waitFor } from "@svc/testing";
import { cString, stringVector } from "../libc/c-strings.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { spawnProcess } from "../process/spawn-process.ts";
import { nextChildChange, type TraceeStop, waitForStop } from "../process/wait-child.ts";
import { sendSignal, signalSet } from "../signals/signals.ts";
import {
  enteredSystemCall,
  interruptTracee,
  peekWord,
  pokeBytes,
  readRegisters,
  readSignalMask,
  releaseTracee,
  resumeToSystemCall,
  resumeTracee,
  seizeProcess,
  setTraceScope,
  systemCallStop,
  traceEvent,
  writeRegisters,
  writeSignalMask,
} from "./ptrace.ts";

const SIGKILL = 9;
const SIGUSR1 = 10;
const SIGCONT = 18;
const SIGTRAP = 5;
const children: number[] = [];

afterEach(() => {
  for (const pid of children.splice(0)) {
    sendSignal(pid, SIGKILL);
    while (waitForStop(pid) !== undefined) resumeTracee(pid);
    reap(pid);
  }
});

describe("a traced process", () => {
  test("stops when it is interrupted, and goes on", () => {
    const pid = stopped("sleep", "60");
    expect(readRegisters(pid).length).toBeGreaterThan(200);
    resumeTracee(pid);
    interruptTracee(pid);
    expect(waitForStop(pid)).toEqual({
      kind: "traced",
      pid,
      signal: SIGTRAP,
      event: traceEvent.stop,
    });
  });

  test("shows a signal before it is delivered, and does without it", () => {
    const pid = stopped("sleep", "60");
    resumeTracee(pid);
    sendSignal(pid, SIGUSR1);
    expect(waitForStop(pid)).toMatchObject({ signal: SIGUSR1, event: 0 });
    // SIGUSR1 would end it.
    resumeTracee(pid, 0);
    interruptTracee(pid);
    expect(waitForStop(pid)).toMatchObject({ event: traceEvent.stop });
  });

  test("stops at its execve", () => {
    // It waits to be continued: a process that has ended cannot be traced.
    const pid = stopped("sh", "-c", "kill -STOP $$; exec true");
    setTraceScope(pid, "exec");
    sendSignal(pid, SIGCONT);
    const events = Array.from({ length: 8 }, () => nextEvent(pid));
    expect(events).toContain(traceEvent.exec);
  });

  test("stops at the entry of its system calls, which can be read, and at their exit", () => {
    const pid = stopped("dd", "if=/dev/zero", "of=/dev/null");
    setTraceScope(pid, "exec");
    const atSystemCall: TraceeStop = {
      kind: "traced",
      pid,
      signal: SIGTRAP | systemCallStop,
      event: 0,
    };
    const entered = [0, 1].map(() => {
      resumeToSystemCall(pid);
      expect(waitForStop(pid)).toEqual(atSystemCall);
      return enteredSystemCall(pid);
    });
    expect(entered.filter((call) => call === undefined)).toHaveLength(1);
    expect(entered.find((call) => call !== undefined)?.arguments).toHaveLength(6);
  });

  test("has memory that can be read and written by words", () => {
    const pid = stopped("sleep", "60");
    const address = stackPointerOf(readRegisters(pid));
    const before = peekWord(pid, address);
    pokeBytes(pid, address, new Uint8Array(8).fill(0xff));
    expect(peekWord(pid, address)).toBe(2n ** 64n - 1n);
    pokeBytes(pid, address, new Uint8Array(BigUint64Array.of(before).buffer));
    expect(peekWord(pid, address)).toBe(before);
    expect(() => pokeBytes(pid, address, new Uint8Array(7))).toThrow(RangeError);
  });

  test("says EIO if it has no memory", () => {
    const pid = stopped("sleep", "60");
    expect(codeOf(() => peekWord(pid, 0))).toBe("EIO");
    expect(codeOf(() => pokeBytes(pid, 0, new Uint8Array(8)))).toBe("EIO");
  });

  test("keeps registers and signal mask as they are written", () => {
    const pid = stopped("sleep", "60");
    const registers = readRegisters(pid);
    writeRegisters(pid, registers);
    expect(readRegisters(pid)).toEqual(registers);
    const mask = new Uint8Array(8);
    mask[1] = 0x02;
    writeSignalMask(pid, mask);
    expect(readSignalMask(pid)).toEqual(mask);
  });

  test("is released, and seen as ended by nextChildChange alone", () => {
    const pid = stopped("sleep", "60");
    releaseTracee(pid);
    children.splice(0);
    sendSignal(pid, SIGKILL);
    expect(waitForStop(pid)).toBeUndefined();
    expect(reap(pid)).toEqual({ kind: "killed", pid, signal: SIGKILL });
  });
});

test("a process that is seized for its stops only lives on when its tracer is killed", async () => {
  const script = `
    import { interruptTracee, seizeProcess, waitForStop } from "${import.meta.dir}/../index.ts";
    const { pid } = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
    seizeProcess(pid, "stops");
    interruptTracee(pid);
    if (waitForStop(pid) !== undefined) console.log(pid);
    setInterval(() => undefined, 1000);`;
  const tracer = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await tracer.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  expect(state()).toBe("t");
  tracer.kill("SIGKILL");
  await tracer.exited;
  await waitFor(() => state() === "S", { deadlineMs: 5000, what: "it to go on" });
  sendSignal(pid, SIGKILL);
});

test("a process that does not exist cannot be traced", () => {
  expect(codeOf(() => seizeProcess(2 ** 22 - 1, "signals"))).toBe("ESRCH");
});

test("a process that is traced already cannot be traced again", () => {
  const pid = stopped("sleep", "60");
  expect(codeOf(() => seizeProcess(pid, "signals"))).toBe("EPERM");
});

function stopped(name: string, ...words: readonly string[]): number {
  const path = Bun.which(name) ?? name;
  const pid = spawnProcess({
    path,
    argv: stringVector([path, ...words].map((word) => cString(word))),
    envp: stringVector([]),
    inheritFds: [],
    blockedSignals: signalSet([]),
  });
  children.push(pid);
  seizeProcess(pid, "signals");
  interruptTracee(pid);
  expect(waitForStop(pid)).toMatchObject({ pid, event: traceEvent.stop });
  return pid;
}

/** Undefined once it has ended. */
function nextEvent(pid: number): number | undefined {
  try {
    resumeTracee(pid);
    return waitForStop(pid)?.event;
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ESRCH") return undefined;
    throw error;
  }
}

function reap(pid: number) {
  for (let change = nextChildChange(); change !== undefined; change = nextChildChange()) {
    if (change.pid === pid) return change;
  }
  return undefined;
}

/** rsp of user_regs_struct, sp of user_pt_regs. */
function stackPointerOf(registers: Uint8Array): number {
  const offset = process.arch === "arm64" ? 31 * 8 : 19 * 8;
  return Number(new DataView(registers.buffer).getBigUint64(offset, true));
}

function codeOf(call: () => void): string {
  try {
    call();
    return "no error";
  } catch (error) {
    return error instanceof SyscallError ? error.code : String(error);
  }
}
