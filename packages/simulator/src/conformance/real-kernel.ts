import { cString, spawnProcess, stringVector } from "@svc/kernel";
import { addressOf, bytesAt, errnoName, lastErrno, libc } from "@svc/kernel/testdata";
import {
  type Argument,
  childArguments,
  childEnvironment,
  type KernelUnderTest,
  type Step,
} from "./calls/kernel-under-test.ts";

const variadic: Readonly<Record<string, number>> = { syscall: 7, prctl: 5 };

/** The kernel below this process. */
export function realKernel(folder: string): KernelUnderTest {
  // Each is called with the words of its prototype.
  const calls = libc as unknown as Readonly<
    Record<string, (...words: readonly Argument[]) => number | bigint>
  >;
  return {
    pid: process.pid,
    folder,
    addressOf: (array) => addressOf(array),
    bytesAt,
    call: (name, ...words) => {
      const missing = Math.max(0, (variadic[name] ?? 0) - words.length);
      const result = Number(calls[name]?.(...words, ...Array<number>(missing).fill(0)));
      return result === -1 ? errnoName(lastErrno()) : result;
    },
    spawn: (steps, { gate, innerGate, report }) => {
      const text = [
        `exec 3</proc/self/fd/${gate} 4</proc/self/fd/${innerGate} 5>/proc/self/fd/${report}`,
        ...shellOf(steps, 3),
      ].join("\n");
      const argv = ["sh", "-c", text, ...childArguments];
      return spawnProcess({
        path: "/bin/sh",
        argv: stringVector(argv.map((word) => cString(word))),
        envp: stringVector(childEnvironment.map((entry) => cString(entry))),
        inheritFds: [gate, innerGate, report],
        blockedSignals: new Uint8Array(8),
      });
    },
  };
}

function shellOf(steps: readonly Step[], gate: number): readonly string[] {
  return steps.map((step) => commandOf(step, gate));
}

function commandOf(step: Step, gate: number): string {
  switch (step.kind) {
    case "wait":
      // The gate's end is the end of the test.
      return `read line <&${gate} || exit 99`;
    case "say":
      return `echo ${step.word} >&5`;
    case "exit":
      return `exit ${step.code}`;
    case "raise":
      return `kill -${step.signal} $$`;
    case "ignore":
      return `trap '' ${step.signal}`;
    case "fork":
      return `( ${shellOf(step.steps, 4).join("; ")} ) & echo $! >&5`;
  }
}
