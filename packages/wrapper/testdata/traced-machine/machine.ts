import { architecture } from "@svc/kernel";
import { addressOf, bytesAt, libc } from "@svc/kernel/testdata";
import { CallError } from "./call-error.ts";
import type { Plan } from "./faults.ts";
import { OpenFiles } from "./file-calls.ts";
import { askListener, closeListener, listenerRequests } from "./listener-calls.ts";
import { ptrace, requestNames } from "./ptrace-calls.ts";
import { makeCall, runMachine } from "./run-machine.ts";
import { LISTENER_FD, MachineState, SIGNALS_FD } from "./state.ts";
import { signalThread } from "./stops.ts";
import type { Thread } from "./thread.ts";
import { pollAll, readSignals, waitFor } from "./wait-calls.ts";

const ESRCH = 3;
const ENOSYS = 38;
const AT_SYSINFO_EHDR = 33;
const AT_PAGESZ = 6;
const PAGE_BYTES = 4096;
const MOST_CALLS = 60_000;

/** Raw system calls of this process, by architecture; syscall(2). */
const rawNames: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  x64: {
    217: "getdents64",
    16: "ioctl",
    289: "signalfd4",
    117: "setresuid",
    119: "setresgid",
    102: "getuid",
    104: "getgid",
    61: "wait4",
  },
  arm64: {
    61: "getdents64",
    29: "ioctl",
    74: "signalfd4",
    147: "setresuid",
    149: "setresgid",
    174: "getuid",
    176: "getgid",
    260: "wait4",
  },
};

type Arguments = readonly (number | bigint | Uint8Array)[];
type Call = (...words: readonly never[]) => number | bigint;

/**
 * A kernel with traced programs, in the place of the real one: while it is in place, the calls that
 * the tracer makes by libc reach it alone. The clock goes on in waits alone.
 */
export class TracedMachine extends MachineState implements Disposable {
  readonly openFiles = new OpenFiles(this);
  /** The calls of the tracer, by name. */
  readonly calls: string[] = [];
  plan: Plan = () => undefined;
  /** True if programs go on between any two calls, and not only while the tracer waits. */
  isQuick = false;
  readonly #errno = new Int32Array(2);
  readonly #before = new Map<string, unknown>();
  readonly #clock = performance.now;
  readonly #setTimeout = globalThis.setTimeout;
  readonly #timers: { readonly atMs: number; readonly action: () => void }[] = [];

  constructor() {
    super();
    this.#replaceCalls();
    performance.now = () => this.nowMs;
    const setTimer = (action: () => void, ms = 0) => {
      this.#timers.push({ atMs: this.nowMs + ms, action });
      return this.#timers.length;
    };
    Object.assign(globalThis, { setTimeout: setTimer });
  }

  [Symbol.dispose](): void {
    for (const [name, call] of this.#before) Object.assign(libc, { [name]: call });
    performance.now = this.#clock;
    globalThis.setTimeout = this.#setTimeout;
  }

  /** Runs the next timer at its time. Returns false if no timer waits. */
  runTimer(): boolean {
    const next = this.#timers.toSorted((one, other) => one.atMs - other.atMs)[0];
    if (next === undefined) return false;
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.action();
    return true;
  }

  /** Sends a signal from somewhere; kill(2). */
  signal(pid: number, signal: number): void {
    const thread = this.thread(pid);
    if (thread !== undefined) signalThread(this, thread, signal);
  }

  /** Lets a thread make the call that it has announced, on its next turn. */
  goOnWith(thread: Thread): void {
    makeCall(this, thread);
  }

  /** Lets every program go on as far as it can. */
  run(): void {
    runMachine(this);
  }

  #replaceCalls(): void {
    const replace = (name: keyof typeof libc, call: (...words: Arguments) => number | bigint) => {
      this.#before.set(name, libc[name]);
      Object.assign(libc, { [name]: call });
    };
    replace("__errno_location", () => addressOf(this.#errno));
    for (const [name, call] of Object.entries(this.#table)) {
      const own = (...words: Arguments) => this.#attempt(name, words, call);
      replace(name as keyof typeof libc, own);
    }
  }

  #attempt(name: string, words: Arguments, call: Call): number | bigint {
    try {
      this.#note(nameOf(name, words), tidOf(name, words));
      const result = call(...(words as readonly never[]));
      if (this.isQuick) this.run();
      this.#errno[0] = 0;
      return result;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#errno[0] = error.errno;
      return -1;
    }
  }

  #note(name: string, tid: number | undefined): void {
    this.calls.push(name);
    if (this.calls.length > MOST_CALLS) {
      this.isHung = true;
      throw new Error("the tracer makes calls for ever");
    }
    this.plan({ index: this.calls.length - 1, name, tid });
  }

  readonly #table: Readonly<Record<string, Call>> = {
    ptrace: (request: number, tid: number, address: number | bigint, data: number | bigint) =>
      ptrace(this, requestNames[request] ?? String(request), {
        tid,
        address: Number(address),
        data,
      }),
    waitid: (kind: number, id: number, info: Int32Array, options: number) => {
      info.fill(0);
      const [code, pid, status] = waitFor(this, kind, id, options) ?? [];
      if (code !== undefined) info.set([17, 0, code, 0, pid ?? 0, 0, status ?? 0]);
      return 0;
    },
    kill: (pid: number, signal: number) => {
      // The number of a thread means its process, too.
      const thread = this.thread(pid);
      if (thread === undefined || thread.process.isReaped) throw new CallError(ESRCH);
      signalThread(this, thread.process.leader, signal);
      return 0;
    },
    poll: (entries: Uint8Array | null, count: number, limitMs: number) =>
      this.#poll(entries, count, limitMs),
    read: (fd: number) => {
      if (fd !== SIGNALS_FD) throw new TypeError(`the machine does not read ${fd}`);
      return readSignals(this);
    },
    ioctl: (fd: number, request: number, bytes: Uint8Array) => {
      if (fd !== LISTENER_FD) throw new TypeError(`the machine has no ioctl for ${fd}`);
      return askListener(this, listenerRequests[request] ?? "", bytes);
    },
    open: (path: Uint8Array) => this.openFiles.open(textOf(path)),
    close: (fd: number) => {
      if (fd === LISTENER_FD) closeListener(this);
      else if (fd === SIGNALS_FD) this.hearsChildren = false;
      else if (!this.openFiles.close(fd)) throw new CallError(9);
      return 0;
    },
    pread: (fd: number, bytes: Uint8Array, _: number, position: number) =>
      this.openFiles.read(fd, bytes, position),
    pwrite: (fd: number, bytes: Uint8Array, _: number, position: number) =>
      this.openFiles.write(fd, bytes, position),
    lseek: () => 0,
    readlink: (path: Uint8Array, buffer: Uint8Array) => {
      const link = new TextEncoder().encode(this.openFiles.readLink(textOf(path)));
      buffer.set(link);
      return link.length;
    },
    statx: (fd: number, path: Uint8Array, flags: number, _: number, bytes: Uint8Array) => {
      this.openFiles.status(fd, textOf(path), flags, bytes);
      return 0;
    },
    getxattr: (path: Uint8Array) => this.openFiles.capabilities(textOf(path)),
    statvfs: (path: Uint8Array, bytes: Uint8Array) => {
      this.openFiles.fileSystem(textOf(path), bytes);
      return 0;
    },
    syscall: (number: number, ...words: readonly number[]) => this.#raw(number, words),
    getauxval: (kind: number) => {
      if (kind === AT_PAGESZ) return PAGE_BYTES;
      return kind === AT_SYSINFO_EHDR && this.hasVdso ? addressOf(this.vdso) : 0;
    },
  };

  #poll(entries: Uint8Array | null, count: number, limitMs: number): number {
    const view = entries && new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
    const fds = Array.from({ length: count }, (_, index) => view?.getInt32(8 * index, true) ?? -1);
    const found = pollAll(this, fds, limitMs);
    found.forEach((events, index) => {
      view?.setInt16(8 * index + 6, events, true);
    });
    return found.filter((events) => events !== 0).length;
  }

  /** wait4(2), which a filter does not refuse that refuses waitid(2). */
  #wait4(id: number, status: number, flags: number): number {
    const [, pid = 0, signal = 0] = waitFor(this, 1, id, 6 | (flags & 1)) ?? [];
    new DataView(bytesAt(status, 4).buffer).setInt32(0, (signal << 8) | 0x7f, true);
    return pid;
  }

  #raw(number: number, words: readonly number[]): number {
    const [first = 0, second = 0, third = 0] = words;
    switch (rawNames[architecture]?.[number]) {
      case "getdents64":
        return this.openFiles.list(first, bytesAt(second, third));
      case "signalfd4":
        return SIGNALS_FD;
      case "wait4":
        return this.#wait4(first, second, third);
      case "setresuid":
        this.actingUser = first;
        return 0;
      case "getuid":
        return this.actingUser;
      case "ioctl":
      case "getgid":
      case "setresgid":
        return 0;
      default:
        throw new CallError(ENOSYS);
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

function nameOf(name: string, [first, second]: Arguments): string {
  if (name === "ptrace") return `ptrace ${requestNames[Number(first)]}`;
  if (name === "ioctl") return `ioctl ${listenerRequests[Number(second)]}`;
  if (name === "open" && first instanceof Uint8Array) return `open ${lastPart(textOf(first))}`;
  if (name === "syscall") return `syscall ${rawNames[architecture]?.[Number(first)] ?? first}`;
  return name;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The thread that a call names. */
function tidOf(name: string, [first, second]: Arguments): number | undefined {
  if (name === "ptrace" || name === "waitid") return Number(second) || undefined;
  return name === "kill" ? Number(first) : undefined;
}
