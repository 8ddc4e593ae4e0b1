import { readdirSync, readFileSync } from "node:fs";

/** An init process: the words before the program's, and its environment. */
export interface Init {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The cost of one forwarded signal, in µs. */
export interface SignalCost {
  /** Processor time of the init process for each signal. */
  readonly cpuUs: number;
  /** From kill(2) to the program's sigtimedwait(2), for each signal. */
  readonly latencyUs: readonly number[];
}

const ORPHANS_A_SECOND = 1000;
const SETTLE_MS = 300;

/**
 * The µs of processor time that an init process takes for each orphan, at 1,000 orphans a second.
 */
export async function orphanCost(init: Init, program: string, count: number): Promise<number> {
  const words = [program, String(count), String(ORPHANS_A_SECOND)];
  const { cpuUs } = await run(init, words);
  return cpuUs / count;
}

/** The cost of signals that the program sends to its init process, one after the other. */
export async function signalCost(init: Init, program: string, count: number): Promise<SignalCost> {
  const { cpuUs, lines } = await run(init, [program, String(count)]);
  return { cpuUs: cpuUs / count, latencyUs: lines.map((ns) => Number(ns) / 1000) };
}

/** The processor time for a program's work, without that for the program's start. */
async function run(init: Init, words: readonly string[]) {
  const [idle, busy] = [await timed(init, idleWords(words)), await timed(init, words)];
  return { cpuUs: Math.max(0, busy.cpuUs - idle.cpuUs), lines: busy.lines };
}

/** The same program with one round of work instead of all. */
function idleWords([program = "", , ...rest]: readonly string[]): readonly string[] {
  return [program, "1", ...rest];
}

async function timed({ name, command, env }: Init, words: readonly string[]) {
  const child = Bun.spawn([...command, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines: string[] = [];
    let rest = "";
    for await (const bytes of child.stdout) {
      rest += new TextDecoder().decode(bytes);
      if (rest.endsWith("done\n")) break;
    }
    if (!rest.endsWith("done\n")) throw new Error(`${name}: ${words.join(" ")} ended`);
    lines.push(...rest.split("\n").slice(0, -2));
    // The last orphans may not be reaped yet.
    await Bun.sleep(SETTLE_MS);
    return { cpuUs: processorUs(child.pid), lines };
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

/**
 * The processor time of all threads so far; the kernel's Documentation/scheduler/sched-stats.rst.
 */
function processorUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ofThread = (thread: string) => {
    const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return Number(ns) / 1000;
  };
  return threads.map(ofThread).reduce((sum, us) => sum + us, 0);
}
