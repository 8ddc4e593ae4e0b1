import {
  closeDescriptor,
  createPlainMemory,
  createSecretMemory,
  cString,
  descriptorFacts,
  makePipe,
  nextChildChange,
  type Pipe,
  type SecretMemory,
  sendSignal,
  signalSet,
  spawnProcess,
  stringVector,
  writeDescriptor,
} from "@svc/kernel";
import { placeholderValue } from "@svc/protocol";
import type { Following } from "@svc/settings";
import { waitFor } from "@svc/testing";
import {
  type FilledRegion,
  fillRegion,
  type InjectionPlan,
  type PlacedGeneration,
  type RepointedProcess,
  startTracing,
  Tracer,
  writeGeneration,
} from "@svc/wrapper/testdata";
import { mark, markName } from "../harness/processes/leftovers.ts";
import { lineReader } from "../harness/processes/line-reader.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { entriesOf, letterOf, variables } from "../harness/programs/generation-values.ts";

const SIGKILL = 9;
const DEADLINE_MS = 10_000;
const own = ["PATH=/usr/bin:/bin", `${markName}=${mark}`];

export interface InjectedOptions {
  readonly program: readonly string[];
  readonly kind?: "memfd";
  /** True behind a launcher; by default false. */
  readonly follow?: boolean;
}

/** A program that testdata/waits-then-becomes.c became under a tracer of this process. */
export interface InjectedProgram extends AsyncDisposable {
  readonly pid: number;
  readonly tracer: Tracer;
  /** Writes to its standard input. */
  readonly say: (text: string) => void;
  /** The next line of its standard output. */
  readonly line: () => Promise<string>;
  readonly ask: (line: string) => Promise<string>;
  /** Writes the next generation and points the program at it. */
  readonly replace: () => readonly RepointedProcess[];
  /** The same, and tries again while threads do not stop in time: the machine may be busy. */
  readonly replaced: () => Promise<readonly RepointedProcess[]>;
  /** The letter of that generation. */
  readonly letter: () => string;
}

/** Puts generation 0 of entriesOf into a program, as a supervisor does. */
export async function startInjected(options: InjectedOptions): Promise<InjectedProgram> {
  const memory = options.kind === "memfd" ? createPlainMemory("svc-test") : createSecretMemory();
  const region = fillRegion(memory.kind, memory.fd, entriesOf(0), { reloadable: true });
  const input = makePipe();
  const output = makePipe();
  const pid = startWaiting(options, memory, [input, output]);
  const tracing = startTracing(pid);
  if (tracing.kind !== "tracing") throw new TypeError(tracing.reason);
  const plan = planOf(memory, region, options.follow === true ? "trace" : "off");
  const tracer = new Tracer({
    pid,
    tracing: true,
    regionFd: memory.fd,
    takeListener: () => undefined,
    watchReadable: () => {
      throw new TypeError("nothing is announced here");
    },
    reap: () => undefined,
    readPlan: () => plan,
    log: silence,
  });
  const supervision = superviseAlone(pid, tracer);
  const say = (text: string) => writeDescriptor(input.writeFd, new TextEncoder().encode(text));
  const line = lineReader(Bun.file(output.readFd).stream());
  say("!");
  const placed = () => tracer.placement !== undefined || supervision.hasEnded();
  await waitFor(placed, { deadlineMs: DEADLINE_MS, what: "the values to be placed" });
  return {
    ...{ pid, tracer, say, line },
    ...generations(tracer, { ...memory, lengthBytes: region.lengthBytes }),
    ask: (text) => {
      say(`${text}\n`);
      return line();
    },
    [Symbol.asyncDispose]: async () => {
      closeDescriptor(input.writeFd);
      await supervision.kill();
      closeDescriptor(output.readFd);
      closeDescriptor(memory.fd);
    },
  };
}

/**
 * Starts a process that waits for a byte and becomes the program. Our ends of the pipes stay open.
 */
function startWaiting(
  { program, follow = false }: InjectedOptions,
  { fd }: SecretMemory,
  [input, output]: readonly [Pipe, Pipe],
): number {
  const path = fixture("waits-then-becomes");
  const ends = [input.readFd, output.writeFd];
  const environment = [
    ...own,
    ...variables.map((name) => `${name}=${placeholderValue}`),
    ...(follow ? [`SVC_SECRET_FD=${fd}`] : []),
  ];
  const pid = spawnProcess({
    path,
    argv: stringVector([path, ...ends.map(String), ...program].map((word) => cString(word))),
    envp: stringVector(environment.map((entry) => cString(entry))),
    inheritFds: [...ends, fd],
    blockedSignals: signalSet([]),
  });
  for (const end of ends) closeDescriptor(end);
  return pid;
}

function planOf(memory: SecretMemory, region: FilledRegion, follow: Following): InjectionPlan {
  const { fd, lengthBytes, offsets, slotBytes = 0 } = region;
  const { inode } = descriptorFacts(fd);
  return {
    kind: "inject",
    region: { fd, lengthBytes, kind: memory.kind, mustLock: true, inode, slotBytes },
    firstSlot: own.length,
    ...{ variables, offsets, follow },
  };
}

/**
 * Reacts to SIGCHLD as a supervisor does. Meanwhile this process may not wait for another child.
 */
function superviseAlone(pid: number, tracer: Tracer) {
  let ended = false;
  const pump = setInterval(() => {
    for (let change = nextChildChange(); change !== undefined; change = nextChildChange()) {
      if (change.kind === "traced") tracer.onStop(change);
      if (change.kind !== "exited" && change.kind !== "killed") continue;
      tracer.onEnd(change.pid);
      ended ||= change.pid === pid;
    }
  }, 1);
  return {
    hasEnded: () => ended,
    kill: async () => {
      if (!ended) sendSignal(-pid, SIGKILL);
      await waitFor(() => ended, { deadlineMs: DEADLINE_MS, what: "the program to end" });
      clearInterval(pump);
    },
  };
}

function generations(tracer: Tracer, memory: SecretMemory & { readonly lengthBytes: number }) {
  let last: PlacedGeneration = { generation: 0, offsets: {} };
  const repoint = () => tracer.repoint(last);
  const replace = () => {
    const entries = entriesOf(last.generation + 1);
    last = writeGeneration(memory, entries, variables, { pointedAt: tracer.catchUp() });
    return repoint();
  };
  return {
    replace,
    replaced: async () => {
      let processes = replace();
      const isFree = () => {
        if (processes.some(isBusy)) processes = repoint();
        return !processes.some(isBusy);
      };
      await waitFor(isFree, { deadlineMs: DEADLINE_MS, what: "a moment when all threads stop" });
      return processes;
    },
    letter: () => letterOf(last.generation),
  };
}

function isBusy({ outcome }: RepointedProcess): boolean {
  return outcome.kind === "busy";
}

const silence = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
