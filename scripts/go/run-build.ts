import { findProgram, TestingError } from "../../packages/testing/src/tools.ts";

/** The folder and the variables. */
export interface BuildRequest {
  /** The name of the programs, for people: `kube-apiserver and etcd`. */
  readonly what: string;
  /** The folder of go.mod. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const SAY_EVERY_MS = 15_000;
const COMPLAINT_LINES = 15;

/**
 * Runs `go build -v …` and prints its progress at once, and four times a minute. Throws
 * `FETCH_FAILED` with the compiler's message.
 */
export async function runBuild(
  command: readonly string[],
  wanted: BuildRequest,
  say: (line: string) => void,
): Promise<void> {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  say(`downloading modules and compiling ${wanted.what}, once`);
  const lines: string[] = [];
  const compiled = () => lines.filter(isPackage).length;
  const [program = "", ...words] = command;
  const path = findProgram(program, wanted.env);
  if (path === null) throw new TestingError("FETCH_FAILED", `run ${program}: no such program`);
  const timer = setInterval(
    () => say(`${compiled()} packages compiled after ${seconds()} s`),
    SAY_EVERY_MS,
  );
  try {
    const child = Bun.spawn([path, ...words], {
      cwd: wanted.folder,
      env: { ...wanted.env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await collectLines(child.stderr, lines);
    const code = await child.exited;
    if (code !== 0) refuse(code, lines);
    say(`compiled in ${seconds()} s`);
  } finally {
    clearInterval(timer);
  }
}

async function collectLines(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    into.push(...parts);
  }
  if (rest !== "") into.push(rest);
}

function refuse(code: number, lines: readonly string[]): never {
  const said = lines.filter((line) => !isPackage(line)).slice(-COMPLAINT_LINES);
  throw new TestingError("FETCH_FAILED", `go build: exit code ${code}:\n${said.join("\n")}`);
}

/** What `-v` prints for each package that it compiles. */
function isPackage(line: string): boolean {
  return /^[\w.-]+(?:\/\S+)?$/.test(line);
}
