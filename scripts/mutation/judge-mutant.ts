import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isStorySeed } from "@svc/simulator";
import { type Mutant, mutated } from "./mutant.ts";
import type { Reached } from "./reached-lines.ts";

/** The tests that may notice a mutant. */
export interface Checks {
  readonly root: string;
  /** The unit tests that load the file. */
  readonly tests: readonly string[];
  readonly reached: Reached;
}

/** The tests that have noticed a mutant, if any have; `invalid` is a mutant that no parser takes. */
export type Verdict = "unit tests" | "simulator" | "invalid" | "survived";

/** A mutant that survives is tried with all of its seeds: so there are no more random ones. */
const MOST_RANDOM = 200;
/** The longest that one test may take on a busy machine. */
const TEST_MS = 60_000;
/** A run that gives no sign of life for longer has stopped for ever: that is noticed, too. */
const SILENT_MS = 120_000;

/** Asks the unit tests, and then the simulator. */
export async function judgeMutant(mutant: Mutant, checks: Checks): Promise<Verdict> {
  const { root, tests } = checks;
  if (!isProgram(mutant, root)) return "invalid";
  if (tests.length > 0 && (await failsUnitTests(tests, root, mutant))) return "unit tests";
  const seeds = seedsOf(mutant, checks.reached);
  if (seeds.length === 0) return "survived";
  const worker = join(import.meta.dirname, "simulate-mutant.ts");
  const words = [worker, JSON.stringify(mutant), JSON.stringify(seeds)];
  const { status, text } = await watched(words, root, {});
  return status !== 0 || text.includes("found: ") ? "simulator" : "survived";
}

/** A change may leave a text that no parser takes. */
function isProgram(mutant: Mutant, root: string): boolean {
  const text = mutated(readFileSync(join(root, mutant.path), "utf8"), mutant);
  try {
    new Bun.Transpiler({ loader: "ts" }).transformSync(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether unit tests fail, with a mutant or without one. */
export async function failsUnitTests(
  tests: readonly string[],
  root: string,
  mutant?: Mutant,
): Promise<boolean> {
  const preload = join(import.meta.dirname, "mutate-in-process.ts");
  const files = tests.map((path) => `./${path}`);
  const words = ["test", "--bail", "--timeout", String(TEST_MS), ...files];
  const variables = {
    BUN_OPTIONS: `--preload=${preload}`,
    ...(mutant !== undefined && { SVC_MUTANT: JSON.stringify(mutant) }),
  };
  return (await watched(words, root, variables)).status !== 0;
}

/**
 * Pure: the seeds that reach one of the mutant's lines; those that load its file if no statement
 * begins in these lines. Stories come first: they notice most.
 */
export function seedsOf({ path, start, end }: Mutant, reached: Reached): readonly number[] {
  const lines = Object.entries(reached[path] ?? {});
  const isWithin = (line: number) => start.line < line && line <= end.line + 1;
  const within = lines.filter(([line]) => isWithin(Number(line)));
  const seeds = (within.length > 0 ? within : lines).flatMap(([, own]) => own);
  const all = [...new Set(seeds)].sort((one, other) => one - other);
  const others = all.filter((seed) => !isStorySeed(seed));
  return [...all.filter(isStorySeed), ...others.slice(0, MOST_RANDOM)];
}

/** Runs a program until it ends, or is silent for too long. */
async function watched(
  words: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const child = Bun.spawn([process.execPath, ...words], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  const end = () => endGroup(child.pid);
  // A changed test leaves processes behind, which would hold the pipes.
  void child.exited.then(end);
  let timer = setTimeout(end, SILENT_MS);
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) {
      text += new TextDecoder().decode(bytes);
      clearTimeout(timer);
      timer = setTimeout(end, SILENT_MS);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  clearTimeout(timer);
  return { status: await child.exited, text };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
