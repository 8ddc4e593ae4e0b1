import { join } from "node:path";

/** A go command to run. */
export interface GoRequest {
  /** The module's folder. */
  readonly folder: string;
  /** Variables beside those of the caller, for example GOOS. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a command ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `go` and waits for its end; does not judge the status. */
export function runGo(words: readonly string[], wanted: GoRequest): Ended {
  return runProgram(["go", ...words], wanted);
}

/** Runs a program of the Go world in the same environment. */
export function runProgram(command: readonly string[], { folder, env }: GoRequest): Ended {
  const { exitCode, stdout, stderr } = Bun.spawnSync({
    cmd: [...command],
    cwd: folder,
    env: { ...goEnvironment(process.env), ...env },
    stdin: "ignore",
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** The path of a tool of scripts/go-tools, built into Go's cache if it is not there yet. */
export function goTool(root: string, name: string): string {
  const folder = join(root, "scripts/go-tools");
  const { exitCode, stdout, stderr } = runGo(["tool", "-n", name], { folder });
  if (exitCode !== 0) throw new Error(`build ${name}: ${stderr.trim()}`);
  return stdout.trim();
}

/**
 * The caller's environment without variables that would change the result. These are a workspace in
 * a folder above, and a cache folder that is not absolute: Go refuses that, and the XDG
 * specification says to ignore it.
 */
export function goEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const { XDG_CACHE_HOME: cache = "", ...rest } = env;
  return { ...rest, GOWORK: "off", ...(cache.startsWith("/") && { XDG_CACHE_HOME: cache }) };
}
