import { TestingError } from "../errors.ts";
import type { Combination } from "./combinations.ts";
import { combinationProgram } from "./combinations-program.ts";
import { linesOf } from "./lines-of.ts";

/** A process that combinations reach for. */
export interface CombinationVictim extends AsyncDisposable {
  readonly pid: number;
  /** Has it start a child, which is protected if the victim is; returns its pid. */
  readonly startChild: () => Promise<number>;
  /** Words for an attacker: the pid, the address, the descriptor, the other thread. */
  readonly words: readonly string[];
}

/** The answer of a combination. It has no byte of the canary. */
export interface CombinationAnswer {
  /** The parent of all its openers and holders. */
  readonly pid: number;
  readonly tries: number;
  /** How many openers were killed. */
  readonly killed: number;
  /** How often the canary was found. */
  readonly finds: number;
  /** How many openers were killed and left their loot to another process. */
  readonly afterDeath: number;
  /** The name of the last errno; empty without one. */
  readonly error: string;
  /** The pids of those that found it: the opener, and the holder of its descriptor or 0. */
  readonly looters: readonly (readonly [opener: number, holder: number])[];
}

/** Options of a combination. */
export interface CombinationOptions {
  /** By default the compiled one. A copy has an inode by which its events can be told. */
  readonly program?: string;
  /** Called when the attacker is ready. It is to protect the victim. */
  readonly before?: () => void | Promise<void>;
}

/** Starts a victim, which ends with its scope. */
export async function startCombinationVictim(): Promise<CombinationVictim> {
  const child = Bun.spawn([combinationProgram(process.env), "--victim"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const nextLine = linesOf(child.stdout);
  const words = (await nextLine()).split(" ");
  if (words.length !== 4) {
    throw new TestingError("SERVER_FAILED", `start a victim: it says "${words.join(" ")}"`);
  }
  return {
    pid: child.pid,
    startChild: async () => {
      child.stdin.write("\n");
      child.stdin.flush();
      return Number(await nextLine());
    },
    words,
    [Symbol.asyncDispose]: async () => {
      // An attacker who was killed may have left it stopped.
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/**
 * Has a separate process attack a victim once.
 *
 * @throws RangeError if it could not begin, or ended without an answer.
 */
export async function runCombination(
  combination: Combination,
  victim: CombinationVictim,
  { program = combinationProgram(process.env), before }: CombinationOptions = {},
): Promise<CombinationAnswer> {
  const { goal, arguments: way, table, width, target, time } = combination;
  const command = [program, goal, way, table, width, target, time, ...victim.words];
  const child = Bun.spawn(command, { stdio: ["pipe", "pipe", "inherit"], env: {} });
  const nextLine = linesOf(child.stdout);
  if ((await nextLine()) === "ready") {
    await before?.();
    const own = target === "child" ? await victim.startChild() : 0;
    child.stdin.write(`${own}\n`);
  }
  child.stdin.end();
  const answer = await nextLine();
  await child.exited;
  if (!answer.startsWith("{")) {
    const end = child.signalCode ?? `exit code ${child.exitCode}`;
    throw new RangeError(`${combination.name}: it says "${answer}", and ends: ${end}`);
  }
  return { pid: child.pid, ...JSON.parse(answer) };
}
