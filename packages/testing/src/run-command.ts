import { TestingError } from "./errors.ts";

/** Ends a command that hangs. */
const DEADLINE_MS = 300_000;

/**
 * Runs a command to its end and gives its standard output; throws `FETCH_FAILED` with its message.
 */
export async function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [program = ""] = command;
  const path = findProgram(program, env);
  if (path === null) {
    throw new TestingError("FETCH_FAILED", `run ${program}: no such program`);
  }
  const child = Bun.spawn([path, ...command.slice(1)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env },
    timeout: DEADLINE_MS,
  });
  const [output, complaints, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code === 0) return output;
  const said = lastLines(`${output}\n${complaints}`);
  throw new TestingError("FETCH_FAILED", `run ${command.join(" ")}: exit code ${code}:\n${said}`);
}

/** The program's path in the PATH that it will run with; null when it is not there. */
export function findProgram(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  return Bun.which(program, { PATH: env["PATH"] ?? "" });
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-15).join("\n");
}
