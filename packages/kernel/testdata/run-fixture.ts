import { join } from "node:path";

/** How to run a fixture. */
export interface FixtureRun {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that starts the fixture's interpreter as its last words, such as `prlimit …`. */
  readonly through?: readonly string[];
}

/** The environment for commands of Debian's essential packages. */
export const searchPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** The command line that runs a program of this folder. */
export function fixtureCommand(name: string): readonly string[] {
  return [process.execPath, join(import.meta.dir, `${name}.ts`)];
}

/**
 * Runs a program of this folder to its end and gives the JSON that it printed. Code that changes a
 * process for good, or waits for any child, runs there and not in the test runner.
 */
export function runFixture(name: string, { words = [], env = {}, through = [] }: FixtureRun = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync({
    cmd: [...through, ...fixtureCommand(name), ...words],
    env: { PATH: searchPath, ...env },
  });
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}: ${stderr}`);
  const printed: unknown = JSON.parse(stdout.toString());
  return printed;
}
