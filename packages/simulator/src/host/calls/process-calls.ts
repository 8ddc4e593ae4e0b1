import { KernelError, NotModelled, ProcessOver } from "../../machine/errors.ts";
import type { ChildNews } from "../../machine/kernel.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Process } from "../../machine/process.ts";
import { signals } from "../../machine/signals.ts";

const P_ALL = 0;
const P_PID = 1;
const WNOHANG = 1;
const WSTOPPED = 2;
const WEXITED = 4;
const WCONTINUED = 8;
const WNOWAIT = 0x0100_0000;
const codes = { exited: 1, killed: 2, stopped: 5, continued: 6 } as const;

/** Calls about processes; prctl(2), waitid(2) and others. */
export function processCalls(machine: Machine) {
  return {
    geteuid: () => machine.user,
    getppid: () => machine.running.parent?.pid ?? 0,
    getpgrp: () => machine.running.group,
    getauxval: () => 0,
    prctl: (option: number, value: number | bigint) =>
      control(machine.running, option, Number(value)),
    getrlimit: (resource: number, target: BigUint64Array | Uint8Array) => {
      const { soft, hard } = machine.running.limits.get(resource) ?? {
        soft: INFINITY,
        hard: INFINITY,
      };
      new BigUint64Array(target.buffer, target.byteOffset, 2).set([soft, hard]);
      return 0;
    },
    setrlimit: (resource: number, source: BigUint64Array | Uint8Array) => {
      const [soft = 0n, hard = 0n] = new BigUint64Array(source.buffer, source.byteOffset, 2);
      machine.running.limits.set(resource, { soft, hard });
      return 0;
    },
    clock_gettime: (clock: number, target: ArrayBufferView) => {
      const us = clock === 0 ? machine.wallMs * 1000 : machine.nowUs;
      const time = new BigInt64Array(target.buffer, target.byteOffset, 2);
      time[0] = BigInt(Math.floor(us / 1e6));
      time[1] = BigInt(Math.floor(us % 1e6) * 1000);
      return 0;
    },
    waitid: (kind: number, id: number, info: Int32Array, options: number) =>
      wait(machine, { kind, id, options }, info),
  };
}

const INFINITY = 2n ** 64n - 1n;

function control(process: Process, option: number, value: number): number {
  switch (option) {
    case 1: // PR_SET_PDEATHSIG
      process.parentDeathSignal = value;
      return 0;
    case 3: // PR_GET_DUMPABLE
      return process.isDumpable ? 1 : 0;
    case 4: // PR_SET_DUMPABLE
      process.isDumpable = value !== 0;
      return 0;
    case 15: // PR_SET_NAME
      process.name = new TextDecoder().decode(process.memory.string(value)).slice(0, 15);
      return 0;
    case 36: // PR_SET_CHILD_SUBREAPER
      process.isSubreaper = value !== 0;
      return 0;
    default:
      throw new NotModelled(`prctl ${option}`);
  }
}

interface Question {
  readonly kind: number;
  readonly id: number;
  readonly options: number;
}

function wait(machine: Machine, question: Question, info: Int32Array): number {
  const { running } = machine;
  const { options } = question;
  const events = options & (WSTOPPED | WEXITED | WCONTINUED);
  if (events === 0) throw new KernelError("EINVAL");
  // A zombie has nothing to tell but its end.
  const isWanted = ({ pid, isAlive }: Process) =>
    (isAlive || (events & WEXITED) !== 0) &&
    (question.kind === P_ALL || (question.kind === P_PID && pid === question.id));
  const hasNone = () => ![...running.children].some(isWanted);
  const look = () => newsFor(machine, running, isWanted, events);
  if ((options & WNOHANG) === 0) machine.wait(() => hasNone() || look() !== undefined);
  if (hasNone()) throw new KernelError("ECHILD");
  const news = look();
  info.fill(0, 0, 8);
  if (news === undefined) return 0;
  info[0] = signals.SIGCHLD;
  [info[2], info[4], info[6]] = [codes[news.kind], news.process.pid, news.status];
  if ((options & WNOWAIT) === 0) take(machine, news);
  return 0;
}

function newsFor(
  machine: Machine,
  parent: Process,
  isWanted: (child: Process) => boolean,
  events: number,
) {
  const bits = { exited: WEXITED, killed: WEXITED, stopped: WSTOPPED, continued: WCONTINUED };
  return machine.childNews(parent, isWanted, (kind) => (events & bits[kind]) !== 0);
}

function take(machine: Machine, { process, kind }: ChildNews): void {
  if (kind === "exited" || kind === "killed") machine.reap(process);
  else process.news = undefined;
}

/** _exit(2). */
export function exit(machine: Machine, status: number): never {
  machine.end(machine.running, { kind: "exited", code: status & 0xff });
  throw new ProcessOver();
}
