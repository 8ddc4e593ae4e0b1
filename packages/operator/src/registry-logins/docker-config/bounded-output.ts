/** A program to run, without a shell. */
export interface BoundedCommand {
  readonly command: readonly string[];
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
}

/** The limits of a program. */
export interface OutputBounds {
  readonly mostBytes: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** How a program ended. */
export type Ended =
  | { readonly kind: "ended"; readonly status: number; readonly output: string }
  | { readonly kind: "not-started"; readonly code: string }
  | { readonly kind: "too-late" }
  | { readonly kind: "too-much" };

/**
 * Runs a program and reads its standard output. It leads a new session, which is killed
 * whole when a bound is passed.
 *
 * @throws the signal's reason
 */
export async function boundedOutput(
  { command, environment, input }: BoundedCommand,
  { mostBytes, limitMs, signal }: OutputBounds,
): Promise<Ended> {
  const child = start(command, environment);
  if ("code" in child) return { kind: "not-started", code: child.code };
  const timeout = AbortSignal.timeout(limitMs);
  const ending = AbortSignal.any([signal, timeout]);
  const end = () => killSession(child.pid);
  ending.addEventListener("abort", end, { once: true });
  if (ending.aborted) end();
  try {
    feed(child, input);
    const output = await readAll(child.stdout, mostBytes, ending);
    if (output === undefined) return { kind: "too-much" };
    const status = await child.exited;
    signal.throwIfAborted();
    return timeout.aborted ? { kind: "too-late" } : { kind: "ended", status, output };
  } finally {
    ending.removeEventListener("abort", end);
    // Also if it has ended by itself: its own children may go on.
    end();
    await child.exited;
  }
}

type Child = Bun.Subprocess<"pipe", "pipe", "ignore">;

function start(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Child | { readonly code: string } {
  try {
    return Bun.spawn([...command], {
      ...{ stdin: "pipe", stdout: "pipe", stderr: "ignore" },
      env: { ...environment },
      detached: true,
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    return { code };
  }
}

/** A program that does not read its input closes it. */
function feed({ stdin }: Child, input: string): void {
  try {
    stdin.write(input);
    void Promise.resolve(stdin.end()).catch(() => undefined);
  } catch {
    // It has ended: its status says more.
  }
}

/** The output until the end, or until the signal; undefined if it is too much. */
async function readAll(
  stream: ReadableStream<Uint8Array>,
  mostBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reader = stream.getReader();
  // A program that left the session may hold the pipe open for ever.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks).toString("utf8");
      size += value.byteLength;
      if (size > mostBytes) return undefined;
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

function killSession(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // There is none left.
  }
}
