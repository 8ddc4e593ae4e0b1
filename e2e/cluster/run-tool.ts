import { TestingError } from "@svc/testing";

/** How a tool is run. */
export interface ToolRequest {
  /** Standard input; by default nothing. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** How it ended. */
export interface ToolEnded {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, and does not judge it. */
export async function tryTool(
  command: readonly string[],
  { input, environment = {} }: ToolRequest = {},
): Promise<ToolEnded> {
  const child = Bun.spawn([...command], {
    stdio: [input === undefined ? "ignore" : Buffer.from(input), "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const { stdout, stderr, exited } = child;
  const [out, err, exitCode] = await Promise.all([stdout.text(), stderr.text(), exited]);
  return { exitCode, stdout: out, stderr: err };
}

/** Gives a command's standard output; throws `BAD_ANSWER` with its complaint if it fails. */
export async function runTool(
  command: readonly string[],
  wanted: ToolRequest = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryTool(command, wanted);
  if (exitCode === 0) return stdout;
  const said = `${stdout.trim()}\n${stderr.trim()}`.trim();
  throw new TestingError("BAD_ANSWER", `run ${command.join(" ")}: status ${exitCode}: ${said}`);
}
