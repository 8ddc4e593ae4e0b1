import { hmacSha256 } from "@svc/secret-bytes";
import { KernelError, NotModelled } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { signals } from "../machine/signals.ts";
import { agentStream } from "./agent-stream.ts";
import { exit } from "./calls/process-calls.ts";
import { type ForkOptions, forkScript } from "./fork-script.ts";
import { type Host, WRAPPER_PATH } from "./host.ts";
import { httpClient } from "./http-client.ts";
import { httpServer } from "./http-server.ts";
import { libcOf } from "./libc.ts";
import type { ScriptState } from "./script-state.ts";
import { fault, secretClass } from "./secrets.ts";

const LARGEST_FD = 2;
const START_US = 1_000_000;
/** A courier's name, once it has its job. */
const COURIER = "svc-courier";
/** The host's own mlock(2) of pages for secrets. */
const LOCK = "lock secrets";

/** The module `svc:engine` for the process that runs; packages/engine/src/svc-engine.d.ts. */
export function engineModule(host: Host): object {
  const { machine, network, listeners } = host;
  const state = (): ScriptState => {
    const found = host.states.get(machine.running.pid);
    if (found === undefined) throw new NotModelled("a script in a program");
    return found;
  };
  return {
    ...surroundings(machine, state),
    ...texts,
    ...guard(host),
    ...httpClient(machine, network, state),
    ...httpServer(machine, listeners, state),
    libc: libcOf(machine),
    SecretBytes: secretClass(machine),
    hmacSha256,
    areSecretsLocked: () => machine.atCall?.(LOCK) === undefined,
    requireLockedSecrets: () => {
      const refusal = machine.atCall?.(LOCK);
      if (refusal !== undefined) throw fault("mlock", new KernelError(refusal));
    },
    yieldSecretLocks: () => true,
    areCertificates: () => true,
    judgePrivateKey: () => "usable",
    belongTogether: () => true,
    ...agentStream(host.agent, state),
    newExecPreparer: undefined,
    fork: (options: ForkOptions) => forkScript(host, state(), options),
    loadModule: (name: string) => laterOf(state(), (own) => own.load(name)),
    startTimer: (callback: () => void, ms: number, repeats: boolean) =>
      state().loop.startTimer(callback, ms, repeats),
    stopTimer: (id: number) => state().loop.stopTimer(id),
    watchReadable: (fd: number, callback: () => void) => state().loop.watch(fd, callback),
    unwatch: (id: number) => state().loop.unwatch(id),
    takeSignals: (take: Parameters<ScriptState["loop"]["takeSignals"]>[0]) =>
      state().loop.takeSignals(take),
    onUncaught: (callback: (error: unknown) => void) => {
      state().loop.onUncaught = callback;
    },
  };
}

/** Notes words to the host, by the part of the wrapper that says them. */
function note({ trace, running }: Machine, text: string): void {
  trace.note(`host: ${running.name === COURIER ? "courier" : "supervisor"} ${text}`);
}

/** For a call that changes nothing which the simulation looks at. */
function noEffect(): void {
  // Nothing happens.
}

function laterOf<T>(state: ScriptState, make: (state: ScriptState) => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  state.loop.settle(() => {
    try {
      resolve(make(state));
    } catch (error) {
      reject(error);
    }
  });
  return promise;
}

function surroundings(machine: Machine, state: () => ScriptState) {
  const own = () => machine.running;
  return {
    arch: "x64",
    pid: () => own().pid,
    errno: () => own().errno,
    argv: () => own().argv,
    setCommandLine: (text: string) => {
      own().argv = [new TextEncoder().encode(text)];
    },
    openDescriptors: () => own().descriptors.filter((fd) => fd > LARGEST_FD),
    exit: (status: number) => exit(machine, status),
    executablePath: () => WRAPPER_PATH,
    now: () => (machine.nowUs - START_US) / 1000,
    collectGarbage: () => note(machine, "collects garbage"),
    fillRandom: (target: Uint8Array) => machine.random.fill(target),
    addressOf: (array: ArrayBufferView) => own().memory.addressOf(array),
    bytesAt: (address: number, length: number) => viewOf(machine, address, length),
    forget: noEffect,
    environment: () => environmentOf(machine),
    blockedSignals: () => state().blockedAtStart,
    ignoredSignals: () => [...own().ignored].sort((one, other) => one - other),
  };
}

/** A view of memory that is known to be mapped. */
function viewOf(machine: Machine, address: number, length: number): Uint8Array {
  try {
    return machine.running.memory.view(address, length);
  } catch (error) {
    if (error instanceof KernelError)
      throw new Error("the wrapper reads memory that is not mapped");
    throw error;
  }
}

/** The environment by addresses, as it lies on the initial stack. */
function environmentOf(machine: Machine) {
  const { running } = machine;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return running.environment.map((entry) => {
    const equals = entry.indexOf(0x3d);
    const nameLength = equals < 0 ? entry.length : equals;
    return {
      name: decoder.decode(entry.subarray(0, nameLength)),
      address: running.memory.map(entry, false),
      length: entry.length,
      valueOffset: equals < 0 ? entry.length : equals + 1,
    };
  });
}

/** The last resort is the host's: the simulation notes that it was needed. */
function guard({ machine }: Host) {
  const deadlines = new Map<number, number>();
  const statuses = new Map<number, number>();
  return {
    guardFamily: (family: object) => note(machine, `guards the family ${JSON.stringify(family)}`),
    guardReport: (_: number, bytes: Uint8Array) =>
      machine.trace.note(`host: courier would report ${new TextDecoder().decode(bytes).trim()}`),
    guardProgram: (pid: number) =>
      note(machine, `guards ${pid === 0 ? "no program" : "a program"}`),
    guardEnd: (status: number) => {
      note(machine, `would end with ${status}`);
      statuses.set(machine.running.pid, status);
    },
    guardStart: (ms: number) => {
      const { running } = machine;
      note(machine, ms === 0 ? "keeps no time" : "keeps a time");
      const dueUs = ms === 0 ? Number.POSITIVE_INFINITY : machine.nowUs + ms * 1000;
      deadlines.set(running.pid, dueUs);
      if (ms === 0) return;
      const { program } = running;
      let leftOutUs = running.frozenUs;
      const fire = () => {
        if (running.isFrozen) {
          running.afterThaw.push(fire);
          return;
        }
        // The time of a freeze does not count.
        const lostUs = running.frozenUs - leftOutUs;
        if (lostUs > 0) {
          leftOutUs = running.frozenUs;
          machine.after(lostUs, fire);
          return;
        }
        // It ends with the host by execve(2).
        if (!running.isAlive || running.program !== program || deadlines.get(running.pid) !== dueUs)
          return;
        machine.trace.note(`watchdog: ${running.pid} stands still`);
        endFamily(machine, running);
        machine.end(running, { kind: "exited", code: statuses.get(running.pid) ?? FAILED });
      };
      machine.after(ms * 1000, fire);
    },
  };
}

/** Every descendant gets SIGKILL. */
function endFamily(machine: Machine, { children }: Process): void {
  for (const child of [...children]) {
    endFamily(machine, child);
    machine.kill(child, { number: signals.SIGKILL, from: "kernel" });
  }
}

const FAILED = 125;

const texts = {
  encodeUtf8: (text: string) => new TextEncoder().encode(text),
  decodeUtf8: (bytes: Uint8Array, fatal: boolean) => {
    try {
      return new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  },
  parseUrl: (text: string, base?: string) => URL.parse(text, base) ?? undefined,
};
