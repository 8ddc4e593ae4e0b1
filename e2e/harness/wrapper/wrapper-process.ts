import { accessSync, constants } from "node:fs";
import { constants as osConstants } from "node:os";
import { resolve } from "node:path";
import { waitFor } from "@svc/testing";
import { mark, markName } from "../processes/leftovers.ts";
import { type PolledPipe, polledPipe } from "../processes/polled-pipe.ts";
import { childrenOf, processesWith } from "../processes/process-facts.ts";
import { treeOf } from "../processes/search-process.ts";
import { fixture } from "../programs/fixture-programs.ts";
import { takeSlot } from "./slots.ts";

/**
 * The compiled program: these tests run the users' program, never the sources. SVC_TEST_WRAPPER
 * names another one, for example dist/engine/bin/svc-wrapper.
 */
export const wrapperPath = resolve(
  import.meta.dir,
  "../../..",
  process.env["SVC_TEST_WRAPPER"] ?? "dist/bin/svc-wrapper",
);

accessSync(wrapperPath, constants.X_OK);

/** The program to start, and its surroundings. */
export interface Launch {
  /** The words after `--`; without them there is no `--`. */
  readonly program?: readonly string[];
  /** The wrapper's flags. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of testdata/starts-as.c. */
  readonly startsAs?: readonly string[];
  /** The wrapper is PID 1 of a PID namespace; by default false. */
  readonly firstProcess?: boolean;
  /** Keeps standard input open for `type`; by default standard input is empty. */
  readonly typing?: boolean;
  /** The words in the wrapper's place, to compare with it. */
  readonly instead?: readonly string[];
  readonly folder?: string;
}

/** Its exit status and its output. */
export interface Ended {
  /** 128 + n if signal n ended the wrapper itself. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly durationMs: number;
}

/** A wrapper that runs. Disposing ends the processes that are left of it. */
export interface RunningWrapper extends AsyncDisposable {
  /** The wrapper's own pid, as seen from here. */
  readonly pid: number;
  readonly stdout: () => Buffer;
  readonly stderr: () => string;
  /** Resolves when it and every holder of its output has ended. */
  readonly ended: Promise<Ended>;
  readonly kill: (signal: number, pid?: number) => void;
  readonly type: (text: string) => void;
  /** Waits until standard output holds the text. */
  readonly prints: (text: string) => Promise<void>;
  /** Waits until standard error, the log, holds the text. */
  readonly says: (text: string) => Promise<void>;
}

const DEADLINE_MS = 15_000;

/** Runs a wrapper to its end. */
export async function runWrapper(launch: Launch): Promise<Ended> {
  await using wrapper = await startWrapper(launch);
  return await wrapper.ended;
}

/** Starts a wrapper once one of four slots is free. */
export async function startWrapper(launch: Launch): Promise<RunningWrapper> {
  const giveBack = await takeSlot();
  const started = performance.now();
  const runMark = `${mark}.${crypto.randomUUID()}`;
  const output = polledPipe();
  const complaints = polledPipe();
  const child = Bun.spawn([...command(launch)], {
    env: { PATH: "/usr/bin:/bin", [markName]: runMark, ...launch.environment },
    ...(launch.folder === undefined ? {} : { cwd: launch.folder }),
    stdio: [launch.typing === true ? "pipe" : "ignore", output.writeFd, complaints.writeFd],
  });
  output.handOver();
  complaints.handOver();
  const ended = Promise.all([child.exited, output.ended, complaints.ended]).then(() => ({
    exitCode: child.exitCode ?? 128 + signalNumber(child.signalCode),
    stdout: output.bytes(),
    stderr: complaints.bytes().toString(),
    durationMs: performance.now() - started,
  }));
  let isTaken = true;
  const giveBackOnce = () => {
    if (isTaken) giveBack();
    isTaken = false;
  };
  void ended.then(giveBackOnce);
  const pid = launch.firstProcess === true ? await firstProcessOf(child.pid) : child.pid;
  const hear = async (text: string, { bytes }: PolledPipe) => {
    const isThere = () => bytes().includes(text);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const inTime = { deadlineMs: DEADLINE_MS, what: `"${text}"` };
    await waitFor(() => isThere() || hasEnded(), inTime).catch(() => undefined);
    if (isThere()) return;
    const end = hasEnded() ? `it ended with ${(await ended).exitCode}` : "it runs";
    if (!isThere()) refuse(text, `${end}\n${output.bytes()}${complaints.bytes()}`);
  };
  return {
    pid,
    stdout: output.bytes,
    stderr: () => complaints.bytes().toString(),
    ended,
    kill: (signal, target = pid) => void process.kill(target, signal),
    type: (text) => typeInto(child.stdin, text),
    prints: (text) => hear(text, output),
    says: (text) => hear(text, complaints),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) killAll(runMark, child.pid);
      // In the middle of its execve a process has no environment to be known by.
      const again = setInterval(() => killAll(runMark, child.pid), 100);
      await Promise.race([ended, allGone(child.exited, runMark)]);
      clearInterval(again);
      output.stop();
      complaints.stop();
      giveBackOnce();
    },
  };
}

/** The runtime gives a name, or a number if it has no name. */
function signalNumber(signal: NodeJS.Signals | number | null): number {
  return typeof signal === "string" ? (signalNumbers.get(signal) ?? 0) : (signal ?? 0);
}

const signalNumbers = new Map<string, number>(Object.entries(osConstants.signals));

function command(launch: Launch): readonly string[] {
  const { program, flags = [], startsAs = [], firstProcess = false } = launch;
  const words = launch.instead ?? [wrapperPath, ...flags, ...(program ? ["--", ...program] : [])];
  const namespace = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
  return [...(firstProcess ? namespace : []), fixture("starts-as"), ...startsAs, ...words];
}

/** The child of unshare(1), or unshare itself if it has ended already. */
async function firstProcessOf(unshare: number): Promise<number> {
  return waitFor(() => childrenOf(unshare)[0] ?? (exists(unshare) ? undefined : unshare), {
    deadlineMs: DEADLINE_MS,
    what: "unshare to have a child",
  });
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Something that has taken its mark out of its environment may hold the output for ever. */
async function allGone(exited: Promise<unknown>, runMark: string): Promise<void> {
  await exited;
  const gone = { deadlineMs: DEADLINE_MS, what: "every process of a wrapper to be gone" };
  await waitFor(() => processesWith(runMark).length === 0, gone);
}

/**
 * Kills everything that has the mark or comes of the process that was started: an ordinary user may
 * not read the environment of a wrapper, which is not dumpable.
 */
function killAll(runMark: string, started: number): void {
  for (const pid of new Set([...processesWith(runMark), ...treeOf(started)])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended in between, perhaps together with its namespace.
    }
  }
}

/** A program that has ended meanwhile reads nothing. */
function typeInto(stdin: Bun.FileSink | number | null | undefined, text: string): void {
  if (typeof stdin !== "object" || stdin === null) throw new TypeError("launched without typing");
  try {
    stdin.write(text);
    void Promise.resolve(stdin.flush()).catch(() => undefined);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
  }
}

function refuse(text: string, found: string): never {
  throw new TypeError(`wait for the wrapper's "${text}": ${found}`);
}
