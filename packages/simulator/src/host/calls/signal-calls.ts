import { KernelError, ProcessOver } from "../../machine/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { signals } from "../../machine/signals.ts";
import { bytesOf } from "./bytes.ts";

const SIG_BLOCK = 0;
const SIG_UNBLOCK = 1;
const SIG_IGN = 1n;
const SIGNALS = 64;

/** Calls about signals; kill(2), sigaction(2), pthread_sigmask(3) and others. */
export function signalCalls(machine: Machine) {
  return {
    kill: (pid: number, number: number) => {
      const { running } = machine;
      if (number < 0 || number > SIGNALS) throw new KernelError("EINVAL");
      const targets = [...machine.processes.values()].filter((process) => {
        if (pid > 0) return process.pid === pid;
        if (pid === -1) return process !== running;
        return process.group === (pid === 0 ? running.group : -pid);
      });
      if (targets.length === 0) throw new KernelError("ESRCH");
      if (number !== 0) for (const target of targets) send(machine, target.pid, number);
      if (!running.isAlive) throw new ProcessOver();
      return 0;
    },
    raise: (number: number) => {
      const { running } = machine;
      machine.kill(running, { number, from: "process" });
      if (running.isStopped) machine.wait(() => !running.isStopped);
      return 0;
    },
    sigaction: (number: number, action: ArrayBufferView | null, before: BigUint64Array | null) => {
      const { ignored } = machine.running;
      if (before !== null) before[0] = ignored.has(number) ? SIG_IGN : 0n;
      if (action === null) return 0;
      const [handler] = new BigUint64Array(action.buffer, action.byteOffset, 1);
      if (handler === SIG_IGN) {
        ignored.add(number);
        machine.running.pending.forget((one) => one === number);
      } else ignored.delete(number);
      return 0;
    },
    pthread_sigmask: (how: number, set: ArrayBufferView | null, before: ArrayBufferView | null) => {
      const { blocked } = machine.running;
      if (before !== null) bytesOf(before).set(maskOf(blocked));
      if (set !== null) changeMask(blocked, how, numbersIn(bytesOf(set).subarray(0, 8)));
      if (set !== null) deliver(machine);
      return 0;
    },
    sigtimedwait: (set: ArrayBufferView, info: Int32Array | null, time: BigInt64Array | null) => {
      const wanted = new Set(numbersIn(bytesOf(set)));
      const { running } = machine;
      const has = () => running.pending.has(({ number }) => wanted.has(number));
      const us =
        time === null
          ? Number.POSITIVE_INFINITY
          : Number((time[0] ?? 0n) * 1_000_000n + (time[1] ?? 0n) / 1000n);
      if (us > 0) machine.wait(has, machine.nowUs + us);
      const signal = running.pending.take(({ number }) => wanted.has(number));
      if (signal === undefined) throw new KernelError("EAGAIN");
      if (info !== null) info[0] = signal.number;
      return signal.number;
    },
  };
}

function changeMask(blocked: Set<number>, how: number, numbers: readonly number[]): void {
  if (how !== SIG_BLOCK && how !== SIG_UNBLOCK) blocked.clear();
  for (const number of numbers) {
    if (unblockable.has(number)) continue;
    if (how === SIG_UNBLOCK) blocked.delete(number);
    else blocked.add(number);
  }
}

/** Delivers those that are blocked no more. */
function deliver(machine: Machine): void {
  const { running } = machine;
  machine.deliverPending(running);
  if (running.isStopped) machine.wait(() => !running.isStopped);
  if (!running.isAlive) throw new ProcessOver();
}

/** Sends a signal of the process that runs. */
export function send(machine: Machine, pid: number, number: number, value?: bigint): void {
  const target = machine.processes.get(pid);
  if (target === undefined) throw new KernelError("ESRCH");
  machine.trace.note(`kill: ${machine.running.pid} → ${pid} ${number}`);
  machine.kill(target, { number, from: "process", ...(value === undefined ? {} : { value }) });
}

/** The numbers in a set of the kernel, one bit for each. */
export function numbersIn(set: Uint8Array): readonly number[] {
  return Array.from({ length: SIGNALS }, (_, index) => index + 1).filter(
    (number) => ((set[(number - 1) >> 3] ?? 0) >> ((number - 1) & 7)) & 1,
  );
}

function maskOf(numbers: Iterable<number>): Uint8Array {
  const set = new Uint8Array(SIGNALS / 8);
  for (const number of numbers) {
    const byte = (number - 1) >> 3;
    set[byte] = (set[byte] ?? 0) | (1 << ((number - 1) & 7));
  }
  return set;
}

/** Those that a process never blocks. */
export const unblockable: ReadonlySet<number> = new Set([signals.SIGKILL, signals.SIGSTOP]);
