import {
  areCertificates,
  belongTogether,
  blockedSignals,
  collectGarbage,
  fork,
  guardEnd,
  guardFamily,
  guardProgram,
  guardStart,
  ignoredSignals,
  judgePrivateKey,
  openDescriptors,
  setCommandLine,
  takeSignals,
  unwatch,
  watchReadable,
} from "svc:engine";
import {
  allowDumps,
  closeDescriptor,
  isDumpable,
  makePipe,
  readDescriptor,
  SIGCHLD,
  SIGURG,
  type SignalSet,
  SyscallError,
  setNonBlocking,
  signalSet,
  writeIfPossible,
} from "@svc/kernel";
import { courierName } from "../messages/job-message.ts";
import type { CourierBirth, Runtime, SignalSource } from "../runtime.ts";
import { ask } from "./ask.ts";

/** Noise of runtimes, as on Bun: programs do not ask for it. */

/** The wrapper on the small engine. */
export const runtime: Runtime = {
  takeSignals: signalSource,
  signalsBlockedAtStart: () => signalSet(blockedSignals()),
  ignoredSignals,
  openDescriptors,
  prepareCouriers: () => ({ start: forkCourier }),
  loadCouriers,
  watchReadable(fd, onNews) {
    setNonBlocking(fd);
    const id = watchReadable(fd, onNews);
    return { [Symbol.dispose]: () => unwatch(id) };
  },
  giveMemoryBack: collectGarbage,
  ask,
  tlsMaterial: { areCertificates, judgePrivateKey, belongTogether },
  guard: {
    family: guardFamily,
    program: (pid = 0) => guardProgram(pid),
    endsWith: guardEnd,
    endAfter: (ms = 0) => guardStart(ms),
  },
};

/** The host has blocked every signal at its first instruction: each waits for `open`. */
function signalSource(): SignalSource {
  const listeners: (() => void)[] = [];
  return {
    open: (take) =>
      takeSignals((signal, from, value) => {
        if (signal === SIGCHLD) for (const listener of listeners) listener();
        else if (signal !== SIGURG || from !== "kernel") take({ signal, from, value });
      }),
    onChild: (listener) => void listeners.push(listener),
  };
}

/** The first courier loads its part itself, while the supervisor reads its settings. */
async function loadCouriers(): Promise<void> {
  await import("../courier/run-courier.ts");
  await import("../courier/check.ts");
}

/**
 * A courier is a copy of the supervisor, which holds no secret, and goes on with its own part. It
 * becomes dumpable before this resolves if it may be traced: the supervisor is not, and a tracer
 * without CAP_SYS_PTRACE could not take hold of it (ptrace(2)).
 */
async function forkCourier(birth: CourierBirth): Promise<number> {
  if (!birth.mayTrace || isDumpable()) return forkWith(birth);
  const { readFd, writeFd } = makePipe();
  try {
    const pid = await forkWith(birth, writeFd).finally(() => closeDescriptor(writeFd));
    // The end comes when the courier has died.
    readDescriptor(readFd, 1);
    return pid;
  } finally {
    closeDescriptor(readFd);
  }
}

async function forkWith(birth: CourierBirth, ready?: number): Promise<number> {
  try {
    return await fork({
      keep: [...birth.descriptors, ...(ready === undefined ? [] : [ready])],
      signalMask: maskOfSet(birth.blockedSignals),
      child: () => void becomeCourier(birth, ready),
    });
  } catch (error) {
    throw typeof error === "number" ? new SyscallError("fork", error) : error;
  }
}

async function becomeCourier(birth: CourierBirth, ready: number | undefined): Promise<void> {
  if (ready !== undefined) {
    allowDumps();
    writeIfPossible(ready, Uint8Array.of(1));
    closeDescriptor(ready);
  }
  setCommandLine(courierName);
  const { runCourier } = await import("../courier/run-courier.ts");
  await runCourier(birth.words, birth.environment);
}

/** The kernel's set is the first eight bytes of libc's; sigprocmask(2). */
function maskOfSet(set: SignalSet): bigint {
  return new DataView(set.buffer, set.byteOffset).getBigUint64(0, true);
}
