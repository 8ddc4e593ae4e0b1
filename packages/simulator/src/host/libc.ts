import { KernelError, NotModelled, ProcessOver } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { descriptorCalls } from "./calls/descriptor-calls.ts";
import { fileCalls } from "./calls/file-calls.ts";
import { memoryCalls } from "./calls/memory-calls.ts";
import { numberedCalls } from "./calls/numbered-calls.ts";
import { processCalls } from "./calls/process-calls.ts";
import { signalCalls } from "./calls/signal-calls.ts";

/** An argument of a function of libc: a number, an address, an array, or NULL. */
export type Argument = number | bigint | ArrayBufferView | null;

/** A function of libc on the simulated kernel. It throws a KernelError for -1 and errno. */
export type Call = (...args: readonly never[]) => number | bigint;

/** Functions of libc by name. */
export type Calls = Readonly<Record<string, Call>>;

/** The functions of libc for the process that runs. */
export function libcOf(machine: Machine): Readonly<Record<string, unknown>> {
  const calls: Calls = {
    ...descriptorCalls(machine),
    ...fileCalls(machine),
    ...memoryCalls(machine),
    ...processCalls(machine),
    ...signalCalls(machine),
  };
  const numbered = numberedCalls(machine);
  const named = Object.entries(calls).map(
    ([name, call]) => [name, guarded(machine, name, call as never)] as const,
  );
  const syscall = (number: number, ...args: readonly unknown[]) =>
    guarded(machine, names.get(number) ?? "syscall", numbered as never)(number, ...args);
  return new Proxy(Object.fromEntries([...named, ["syscall", syscall]]), {
    get(target, name) {
      const call = target[String(name)];
      return call ?? notModelled(machine, String(name));
    },
  });
}

/** Calls by number that may fail on a healthy machine, on x86-64. */
const names: ReadonlyMap<number, string> = new Map([
  [46, "sendmsg"],
  [47, "recvmsg"],
  [53, "socketpair"],
  [59, "execve"],
  [434, "pidfd_open"],
  [447, "memfd_secret"],
]);

/** Turns a refusal into -1 and errno. */
function guarded(
  machine: Machine,
  name: string,
  call: (...args: readonly unknown[]) => number | bigint,
) {
  return (...args: readonly unknown[]): number | bigint => {
    const process = machine.running;
    const refusal = machine.atCall?.(name);
    // It may have been killed or stopped meanwhile.
    if (process.isStopped || process.isFrozen) machine.wait(() => goesOn(process));
    if (!process.isAlive) throw new ProcessOver();
    try {
      process.errno = 0;
      if (refusal !== undefined) throw new KernelError(refusal);
      return call(...args);
    } catch (error) {
      if (error instanceof NotModelled) machine.gaps.push(error.message);
      if (!(error instanceof KernelError)) throw error;
      process.errno = error.errno;
      return -1;
    }
  };
}

function goesOn({ isAlive, isStopped, isFrozen }: Process): boolean {
  return !isAlive || (!isStopped && !isFrozen);
}

function notModelled(machine: Machine, name: string) {
  return () => {
    const gap = new NotModelled(`${name} of libc`);
    machine.gaps.push(gap.message);
    throw gap;
  };
}
