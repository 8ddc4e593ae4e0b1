import { libcOf } from "../host/libc.ts";
import { errno, NotModelled } from "../machine/errors.ts";
import { Machine } from "../machine/machine.ts";
import { Process, type Program } from "../machine/process.ts";
import { signals } from "../machine/signals.ts";
import { Trace } from "../machine/trace.ts";
import {
  type Argument,
  childArguments,
  childEnvironment,
  type KernelUnderTest,
  type Outcome,
  type Script,
} from "./calls/kernel-under-test.ts";
import { Puppet } from "./puppet.ts";

const HOUR_US = 3_600_000_000;
const SEED = 1;
const FOLDER = "/tmp/conformance";
const names = new Map<number, string>(Object.entries(errno).map(([name, one]) => [one, name]));

/** Runs a script in a process of a new machine. */
export function onSimulatedKernel(script: Script, blocked: readonly number[]): readonly Outcome[] {
  const machine = new Machine(SEED, new Trace());
  machine.files.add(FOLDER, "directory");
  const words = { argv: [], environment: [] };
  // As an init that reaps orphans.
  const init = new Process(1, undefined, words, { ignored: [signals.SIGCHLD] });
  machine.install("/init", () => idle);
  machine.start("/init", init);
  const process = new Process(machine.newPid(), init, words, { blocked });
  let found: { readonly outcomes: readonly Outcome[] } | { readonly error: unknown } | undefined;
  machine.install("/script", () =>
    once(() => {
      try {
        found = { outcomes: script(kernelOf(machine, process)) };
      } catch (error) {
        found = { error };
      }
    }),
  );
  machine.start("/script", process);
  machine.run(machine.nowUs + HOUR_US, () => found !== undefined);
  if (found === undefined) throw new Error("the script has not ended in an hour of virtual time");
  if ("error" in found) throw found.error;
  return found.outcomes;
}

const idle: Program = {
  nextTurnUs: () => undefined,
  turn: () => undefined,
  catches: () => false,
  onSignal: () => undefined,
};

function once(act: () => void): Program {
  let isOver = false;
  return {
    ...idle,
    nextTurnUs: () => (isOver ? undefined : 0),
    turn: () => {
      isOver = true;
      act();
    },
  };
}

function kernelOf(machine: Machine, process: Process): KernelUnderTest {
  const calls = libcOf(machine) as Readonly<
    Record<string, (...words: readonly Argument[]) => number | bigint>
  >;
  return {
    pid: process.pid,
    folder: FOLDER,
    addressOf: (array) => process.memory.addressOf(array),
    bytesAt: (address, length) => process.memory.view(address, length),
    call: (name, ...words) => {
      try {
        const result = Number(calls[name]?.(...words));
        return result === -1 ? (names.get(process.errno) ?? `E${process.errno}`) : result;
      } catch (error) {
        if (error instanceof NotModelled) return error.message;
        throw error;
      }
    },
    spawn: (steps, ends) => {
      const { ignored, limits } = process;
      const kept = new Set(Object.values(ends));
      const isKept = (fd: number) => kept.has(fd);
      const child = machine.fork(process, { group: 0, blocked: [], ignored, limits }, isKept);
      const encoder = new TextEncoder();
      child.name = "sh";
      child.argv = ["sh", "-c", "", ...childArguments].map((word) => encoder.encode(word));
      child.environment = childEnvironment.map((entry) => encoder.encode(entry));
      child.program = new Puppet(machine, child, steps, ends);
      return child.pid;
    },
  };
}
