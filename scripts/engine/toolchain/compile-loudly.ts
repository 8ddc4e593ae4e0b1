import type { Say } from "../../results/steps.ts";

const SAY_EVERY_MS = 15_000;

/** The lines of cargo that say how far it is. */
const progress = /^\s*(?:Compiling|Checking|Downloaded|Downloading|Updating|Finished|Locking)\b/;

/** The ways of the output. */
export interface Outputs {
  /** Gets lines about the progress. */
  readonly say: Say;
  /** Keeps the standard output; by default it is shown. */
  readonly capture?: true;
}

/**
 * Runs a command of cargo's. Its progress is one line four times a minute; all else on its standard
 * error is shown at the end.
 *
 * @returns the standard output, if it is kept.
 * @throws Error if it fails.
 */
export async function compileLoudly(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  { say, capture }: Outputs,
): Promise<string> {
  const started = performance.now();
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: capture ? "pipe" : "inherit",
    stderr: "pipe",
  });
  const output = child.stdout === undefined ? "" : new Response(child.stdout).text();
  let compiled = 0;
  const others: string[] = [];
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`${compiled} ${compiled === 1 ? "crate" : "crates"} after ${seconds} s`);
  }, SAY_EVERY_MS);
  try {
    for await (const line of linesOf(child.stderr)) {
      if (/^\s*(?:Compiling|Checking)\b/.test(line)) compiled++;
      else if (!progress.test(line)) others.push(line);
    }
  } finally {
    clearInterval(timer);
  }
  const text = others.join("\n").trim();
  if (text !== "") process.stderr.write(`${text}\n`);
  const status = await child.exited;
  if (status !== 0) throw new Error(`cargo: it ended with status ${status}`);
  return output;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
